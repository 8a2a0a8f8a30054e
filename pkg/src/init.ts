import { refuse } from "./check.js";
import { start, type EngineSource } from "./engine.js";

/** Anything with an address, such as a `URL`. */
export interface Addressed {
  readonly href: string;
}

/** Anything that brings bytes, such as a `Response`. */
export interface ByteSource {
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** What `init` takes: where the `.wasm` file is, a response or bytes with its content, or a compiled `WebAssembly.Module`. */
export type InitSource = string | Addressed | ByteSource | ArrayBuffer | ArrayBufferView | object;

/**
 * Starts the engine; needed once in a browser, harmless anywhere else.
 * Without an argument the `.wasm` file beside this module is fetched.
 * *Errors*: `INVALID_ARGUMENT` for any other source; what `fetch` or the compiler throws is passed on.
 */
export async function init(source?: InitSource | Promise<InitSource>): Promise<void> {
  const given = await source;
  await start(given === undefined ? new URL("./wasm/agent_evidence_bg.wasm", import.meta.url) : classify(given));
}

function classify(source: InitSource): EngineSource {
  if (typeof source === "string" || source instanceof URL || source instanceof ArrayBuffer || ArrayBuffer.isView(source) || source instanceof WebAssembly.Module) {
    return source as EngineSource;
  }
  if (typeof Response === "function" && source instanceof Response) return source;
  return refuse("source", "a URL, a Response, bytes or a WebAssembly.Module", source);
}
