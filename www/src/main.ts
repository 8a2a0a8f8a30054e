import { init, LIMITS } from "agent-evidence";

await init();
const app = document.querySelector("#app");
if (app) app.textContent = `The engine runs here; ${Object.keys(LIMITS).length} bounds hold.`;
