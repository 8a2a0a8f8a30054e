import { LIMITS, init } from "agent-evidence/citations";

await init();
postMessage(LIMITS.DEFAULT_MAX_ITEMS?.value);
