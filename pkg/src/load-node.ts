/** Starts the engine at import: a Node program needs no `init`. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { startNow } from "./engine.js";

// A plain path, not `new URL(...)` at the call: bundlers would copy the file a second time.
startNow(readFileSync(fileURLToPath(import.meta.resolve("./wasm/agent_evidence_bg.wasm"))));
