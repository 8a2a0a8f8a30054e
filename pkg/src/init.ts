import { start } from "./engine.js";

/** What `init` takes: where the `.wasm` file is, the response that brings it, or its content. */
export type InitSource = string | URL | Request | Response | BufferSource | WebAssembly.Module;

/**
 * Starts the engine; needed once in a browser, harmless anywhere else.
 * Without an argument the `.wasm` file beside this module is fetched.
 */
export async function init(source?: InitSource | Promise<InitSource>): Promise<void> {
  await start((await source) ?? new URL("./wasm/agent_evidence_bg.wasm", import.meta.url));
}
