/** The engine: one WebAssembly instance a realm, started by a loader, restarted after a failure. */
import * as bindings from "./wasm/agent_evidence.js";
import { EvidenceError, type EvidenceErrorCode, type EvidenceErrorDetails } from "./errors.js";

let ready = false;
let generation = 0;

/** What a loader may hand over: bytes or a compiled module, for a start without waiting. */
export function startNow(source: BufferSource | WebAssembly.Module): void {
  if (ready) return;
  bindings.initSync({ module: source });
  ready = true;
}

/** What the generated loader takes. */
export type EngineSource = string | URL | Response | BufferSource | WebAssembly.Module;

let starting: Promise<unknown> | undefined;

/** Starts from anything that may have to be fetched first. Calls share one start; after a failed one the next tries again. */
export async function start(source: EngineSource): Promise<void> {
  if (ready) return;
  starting ??= bindings.default({ module_or_path: source });
  try {
    await starting;
    ready = true;
  } finally {
    starting = undefined;
  }
}

/** Counts restarts: a class handle from an older generation is gone. */
export function currentGeneration(): number {
  return generation;
}

/**
 * Runs one call into the engine. An `Error` of the core becomes an `EvidenceError`; a failure of the
 * engine itself starts it anew and throws `ENGINE_RESTARTED`.
 */
export function call<T>(run: (engine: typeof bindings) => T): T {
  if (!ready) {
    throw new EvidenceError("NOT_INITIALIZED", "agent-evidence is not ready: `await init()` once before the first call, or import \"agent-evidence/inline\".");
  }
  try {
    return run(bindings);
  } catch (error) {
    throw translate(error);
  }
}

/** `call` for exports that return a promise. */
export async function callAsync<T>(run: (engine: typeof bindings) => Promise<T>): Promise<T> {
  try {
    return await call(run);
  } catch (error) {
    throw translate(error);
  }
}

interface CoreError {
  evidenceCode: EvidenceErrorCode;
  message: string;
  details: EvidenceErrorDetails;
}

function translate(error: unknown): unknown {
  if (error instanceof WebAssembly.RuntimeError || isStackOverflow(error)) {
    generation += 1;
    bindings.__wbg_reset_state();
    bytes = new Uint8Array();
    return new EvidenceError("ENGINE_RESTARTED", "The engine failed and was started anew; this call had no effect and may be repeated.", {}, { cause: error });
  }
  if (typeof error === "object" && error !== null && "evidenceCode" in error) {
    const { evidenceCode, message, details } = error as CoreError;
    return new EvidenceError(evidenceCode, message, details);
  }
  return error;
}

/** Every browser has an error of its own for a stack that ran out. */
function isStackOverflow(error: unknown): boolean {
  return error instanceof Error && (error.name === "RangeError" || error.name === "InternalError") && /call stack|recursion/i.test(error.message);
}

const encoder = new TextEncoder();

/** The instance's memory as bytes, kept because a view costs more than a short text. */
let bytes = new Uint8Array();

function memoryBytes(engine: typeof bindings): Uint8Array {
  // A memory that grew leaves its old views empty; so does a restart.
  if (bytes.length === 0) bytes = new Uint8Array((engine.wasm_memory() as WebAssembly.Memory).buffer);
  return bytes;
}

/** Up to here writing unit by unit is quicker than `encodeInto`, which needs a view of its own. */
const SHORT_UNITS = 96;

/** Writes a short text of ASCII; false when it is neither. */
function writeShort(engine: typeof bindings, text: string): boolean {
  if (text.length > SHORT_UNITS) return false;
  const pointer = engine.input_reserve(text.length);
  const target = memoryBytes(engine);
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit > 0x7f) return false;
    target[pointer + index] = unit;
  }
  return true;
}

function writeText(engine: typeof bindings, text: string, offset: number): number {
  // One byte a unit is enough for ASCII; what does not fit is given its worst case, three.
  let pointer = engine.input_reserve(offset + text.length);
  let { read, written } = encoder.encodeInto(text, memory(engine, pointer + offset, text.length));
  if (read < text.length) {
    const rest = text.slice(read);
    const from = offset + written;
    pointer = engine.input_reserve(from + rest.length * 3);
    written += encoder.encodeInto(rest, memory(engine, pointer + from, rest.length * 3)).written;
  }
  return written;
}

function memory(engine: typeof bindings, pointer: number, length: number): Uint8Array {
  return new Uint8Array(engine.wasm_memory().buffer, pointer, length);
}

/** Puts `text` into the engine's input buffer and returns its length in bytes. */
export function putText(engine: typeof bindings, text: string): number {
  return writeShort(engine, text) ? text.length : writeText(engine, text, 0);
}

/** Puts `bytes` into the input buffer and returns how many there are. */
export function putBytes(engine: typeof bindings, bytes: Uint8Array): number {
  memory(engine, engine.input_reserve(bytes.length), bytes.length).set(bytes);
  return bytes.length;
}

/** Puts `texts` behind each other into the input buffer and returns the byte offset of each end. */
export function putTexts(engine: typeof bindings, texts: readonly string[]): Uint32Array {
  const ends = new Uint32Array(texts.length);
  // One reservation for all, on the guess of one byte a unit; a text that does not fit asks for its own.
  let room = 0;
  for (const text of texts) room += text.length;
  let view = memory(engine, engine.input_reserve(room), room);
  let offset = 0;
  for (const [index, text] of texts.entries()) {
    const { read, written } = encoder.encodeInto(text, view.subarray(offset));
    offset += written;
    if (read < text.length) {
      const rest = text.slice(read);
      // Double what is missing, so that many such texts do not move the buffer many times.
      const wanted = Math.max(offset + rest.length * 3, room + (room >> 1));
      view = memory(engine, engine.input_reserve(wanted), wanted);
      offset += encoder.encodeInto(rest, view.subarray(offset)).written;
      room = wanted;
    }
    ends[index] = offset;
  }
  return ends;
}

const NONE = 0xffffffff;

/** Reads a packed result, in the order the engine wrote it. */
export class Unpacker {
  readonly #numbers: Uint32Array;
  readonly #text: string;
  #index = 0;
  #offset = 0;

  constructor(packed: unknown[]) {
    this.#numbers = packed[0] as Uint32Array;
    this.#text = packed[1] as string;
  }

  get done(): boolean {
    return this.#index >= this.#numbers.length;
  }

  number(): number {
    return this.#numbers[this.#index++] as number;
  }

  optional(): number | undefined {
    const value = this.number();
    return value === NONE ? undefined : value;
  }

  text(): string {
    const length = this.number();
    return this.#text.slice(this.#offset, (this.#offset += length));
  }

  optionalText(): string | undefined {
    const length = this.number();
    return length === NONE ? undefined : this.#text.slice(this.#offset, (this.#offset += length));
  }
}
