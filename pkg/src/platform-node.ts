/** Node's defaults, one line a part. */
import { registerPlatform } from "./platform.js";

registerPlatform({});
