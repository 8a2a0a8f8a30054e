/** Node's defaults, one line a part. */
import { chatCitationDeps } from "./node/citation-host.js";
import { registerPlatform } from "./platform.js";

registerPlatform({ chatCitationDeps });
