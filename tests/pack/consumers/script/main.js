import { LIMITS, init } from "./node_modules/agent-evidence/dist/index.js";

await init();
document.title = `ready ${LIMITS.DEFAULT_MAX_ITEMS.value}`;
