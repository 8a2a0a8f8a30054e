import { EvidenceError, LIMITS, init } from "agent-evidence";

let before = "";
try {
  void LIMITS.DEFAULT_MAX_ITEMS;
} catch (error) {
  before = error instanceof EvidenceError ? error.code : String(error);
}
await Promise.all([init(), init()]);
const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
worker.onerror = (event) => { document.title = `worker failed: ${event.message}`; };
worker.onmessage = (event) => { document.title = `${before} ${LIMITS.DEFAULT_MAX_ITEMS?.value} ${event.data}`; };
