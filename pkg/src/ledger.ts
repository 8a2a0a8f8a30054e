/** Ledger: which file bodies a conversation can still vouch for. */
import { call, currentGeneration, putText, putTexts, Unpacker } from "./engine.js";
import { EvidenceError } from "./errors.js";
import * as check from "./check.js";
import { currentDirectory } from "./platform.js";
import type { LedgerConversation, LedgerTracker } from "./wasm/agent_evidence.js";

export { EvidenceError, type EvidenceErrorCode, type EvidenceErrorDetails } from "./errors.js";
export { init, type InitSource } from "./init.js";
export { LIMITS, type Limit } from "./limits.js";

/** Edit calls one chain may carry. */
export const MAX_EDIT_CALLS = 8;
/** UTF-16 units of text one pass may build. */
export const MAX_REPLAYED_UNITS: number = 262_144;
/** UTF-16 units of the path a write may go out with. */
export const MAX_PATH_UNITS = 512;
/** Bodies one pass holds at a time, newest mutation kept. */
export const MAX_WITNESSED_PATHS = 6;
/** UTF-16 units of arguments that may be believed. */
const MAX_ARGUMENT_UNITS = 32_000;
/** UTF-16 units of arguments that are read at all. */
const MAX_ATTRIBUTABLE_UNITS = 1_048_576;
/** UTF-16 units of a receipt's start that cross with every receipt. */
const HEAD_UNITS = 80;

/** One tool call of an assistant message. */
export interface ToolCall {
  readonly id: string;
  readonly type?: string;
  readonly function: { readonly name: string; readonly arguments: string };
  readonly metadata?: { readonly inputTruncated?: boolean; readonly [name: string]: unknown };
}

/** One message; only these members are looked at. */
export interface Message {
  readonly role: string;
  readonly content?: unknown;
  readonly toolCalls?: readonly ToolCall[] | null;
  readonly toolCallId?: string;
  readonly isError?: boolean;
}

/** The calls a body follows from: a whole write and the edits on top of it. */
export interface EditChain {
  readonly rootWriteCallId: string;
  readonly editCallIds: readonly string[];
}

/** A session's observation ledger, by file key. A host may bring its own; what it lacks is not asked for. */
export interface FileReadTracker {
  /** The file was seen; `content` where known, and the id of the write that put it there. */
  recordRead(key: string, content?: string, fullWriteCallId?: string): void;
  hasRead(key: string): boolean;
  /** An edit left `content`. */
  recordEdit?(key: string, content: string, callId: string): void;
  /** A read showed the whole file; `renderedFingerprint` is of what it showed. */
  recordFullRead?(key: string, content: string, callId: string, renderedFingerprint: string): void;
  /** A tool found the file different from what is known here. */
  recordDriftObserved?(key: string): void;
  driftObserved?(key: string): boolean;
  fingerprint?(key: string): string | undefined;
  /** The write whose body is the file's; none once edits stand on it. */
  writeCallId?(key: string): string | undefined;
  editChain?(key: string): EditChain | undefined;
  readWitness?(key: string): { readonly callId: string; readonly renderedFingerprint: string } | undefined;
}

/** Which file each call names, by the call object; `null` for a call that names none. */
export type PathAttributions = WeakMap<ToolCall, string | null>;

/** The ledger key of a path, or `undefined` for a path that has none. May throw: no key. */
export type FileKeyResolver = (path: string) => string | undefined;

/** The calls and receipts of a conversation by call id. */
export interface VisibleHistory {
  /** `null` where two calls claim the id. */
  readonly calls: ReadonlyMap<string, ToolCall | null>;
  /** `null` where the id was answered twice. */
  readonly results: ReadonlyMap<string, Message | null>;
  readonly keyOf: FileKeyResolver;
}

/** UTF-16 units a pass may still build. */
export interface ReplayBudget {
  remaining: number;
}

/** Bounds and reports of one pass; the defaults are the constants. */
export interface ReplayOptions {
  /** Default `MAX_EDIT_CALLS`. */
  readonly maxEditCalls?: number;
  /** Default `MAX_REPLAYED_UNITS`. */
  readonly maxReplayedUnits?: number;
  /** Default `MAX_PATH_UNITS`. */
  readonly maxPathUnits?: number;
  /** Default `MAX_WITNESSED_PATHS`. */
  readonly maxWitnessedPaths?: number;
  /** Default 32,000. */
  readonly maxArgumentUnits?: number;
  /** Names of tools that run commands or another agent; asks for `shellSince`. */
  readonly shellCalls?: readonly string[];
}

/** A witnessed file that a shell or another agent may have changed since. */
export interface ShellSince {
  readonly key: string;
  /** The first such call since the body was last known to be right. */
  readonly callId: string;
  readonly tool: string;
}

/** A tracker that threw: nothing was written to it afterwards. */
export interface TrackerFailure {
  readonly error: unknown;
  /** The file it threw on. It may hold an older body of the file, and is marked as drifted where the tracker can. */
  readonly key: string;
  readonly callId: string;
  /** Files that were written completely before. */
  readonly written: readonly string[];
}

/** What one pass of `replayObservationLedger` established. */
export interface LedgerReplayReport {
  /** Files whose body was rebuilt and written to the tracker. */
  readonly pathsWitnessed: number;
  /** Files that were mutated and whose body is not known. */
  readonly pathsSeen: number;
  /** Text built, in UTF-16 units. */
  readonly unitsReplayed: number;
  /** With `shellCalls`: witnessed files that may have changed. */
  readonly shellSince?: readonly ShellSince[];
  readonly trackerFailure?: TrackerFailure;
}

/** Why a pass establishes nothing. */
export type LedgerStopReason = "answered-twice" | "claimed-twice" | "no-key" | "no-path";

/** Why a body was withdrawn, or never held. */
export type LedgerReason =
  | "ambiguous-match"
  | "arguments-cut"
  | "arguments-too-long"
  | "chain-too-long"
  | "evicted"
  | "id-too-long"
  | "lone-surrogate"
  | "malformed-arguments"
  | "no-body"
  | "no-match"
  | "over-budget"
  | "path-too-long"
  | "read-ambiguous"
  | "read-differs"
  | "receipt-cleared"
  | "receipt-not-text"
  | "refused"
  | "skipped-by-plugin"
  | "unanswered";

/** What one call did to a file. */
export interface LedgerStep {
  readonly callId: string;
  readonly tool: string;
  /** The message the call is in. */
  readonly messageIndex: number;
  readonly action: "held" | "edited" | "confirmed" | "ignored" | "withdrawn" | "shell-ran";
  readonly reason?: LedgerReason;
  /** What the step cost, in UTF-16 units. */
  readonly units: number;
}

/** One file of the account. */
export interface LedgerPathAccount {
  readonly key: string;
  /** The spellings that led to the key, in order. */
  readonly paths: readonly string[];
  readonly outcome: "witnessed" | "withdrawn";
  /** Why it was withdrawn: the first reason since a body was last held. A stopped pass withdraws without one. */
  readonly reason?: LedgerReason;
  readonly fingerprint?: string;
  readonly bodyInCall?: string;
  readonly editsInCalls?: readonly string[];
  readonly steps: readonly LedgerStep[];
}

/** A reader's account of one pass. */
export interface LedgerAccount extends LedgerReplayReport {
  /** The call that made the pass establish nothing. */
  readonly stopped?: { readonly reason: LedgerStopReason; readonly callId: string; readonly messageIndex: number };
  /** Files the conversation mutated or holds, in the order of their first step. */
  readonly paths: readonly LedgerPathAccount[];
}

/** A file whose whole body is in front of the model. */
export interface VisibleFileEvidence {
  readonly path: string;
  /** The body is the receipt of a read. */
  readonly kind?: "read";
  readonly bodyInCall: string;
  readonly editsInCalls?: readonly string[];
  readonly observedFingerprint: string;
}

/** Which lines a read shows: `readRange` (from 1, inclusive) or `offset` lines left out and `limit` shown. */
export interface ReadWindow {
  readonly readRange?: readonly [first: number, last: number];
  readonly offset?: number;
  /** Default 2,000. */
  readonly limit?: number;
}

// ---- crossing ------------------------------------------------------------------------------

const TOOLS = ["write", "edit", "read"];
const NONE = 0xffffffff;
const SHELL = 4;

interface Crossing {
  readonly conversation: LedgerConversation;
  /** By call number. */
  readonly calls: readonly ToolCall[];
  readonly messageOf: readonly number[];
  /** By receipt number. */
  readonly receipts: readonly Message[];
  /** By id. */
  readonly numbers: ReadonlyMap<string, number>;
}

function isWellFormed(text: string): boolean {
  return (text as string & { isWellFormed(): boolean }).isWellFormed();
}

function messagesOf(value: unknown, field = "messages"): readonly Message[] {
  return check.array(value, field) as readonly Message[];
}

function refuseAt(index: number, field: string, expected: string): never {
  throw new EvidenceError("INVALID_ARGUMENT", `messages[${index}]${field} must be ${expected}.`, { field: `messages[${index}]${field}`, index });
}

/** Reads every call and receipt once, in order, and hands the engine what the ledger needs of them. */
function cross<T>(messages: readonly Message[], shellCalls: readonly string[], run: (crossing: Crossing) => T): T {
  const records: number[] = [];
  const texts: string[] = [];
  const calls: ToolCall[] = [];
  const messageOf: number[] = [];
  const receipts: Message[] = [];
  const numbers = new Map<string, number>();
  const numberOf = (id: string): number => {
    let number = numbers.get(id);
    if (number === undefined) numbers.set(id, (number = numbers.size));
    return number;
  };
  for (let index = 0; index < messages.length; index += 1) {
    const message = messages[index];
    if (typeof message !== "object" || message === null) refuseAt(index, "", "an object");
    if (message.role === "assistant") {
      const list: unknown = message.toolCalls ?? [];
      if (!Array.isArray(list)) refuseAt(index, ".toolCalls", "an array");
      for (let place = 0; place < list.length; place += 1) {
        const toolCall = list[place] as ToolCall | null;
        if (typeof toolCall !== "object" || toolCall === null) refuseAt(index, `.toolCalls[${place}]`, "an object");
        const { id, function: called, metadata } = toolCall;
        if (typeof id !== "string") refuseAt(index, `.toolCalls[${place}].id`, "a string");
        if (typeof called !== "object" || called === null) refuseAt(index, `.toolCalls[${place}].function`, "an object");
        const { name, arguments: json } = called;
        if (typeof name !== "string") refuseAt(index, `.toolCalls[${place}].function.name`, "a string");
        const tool = TOOLS.indexOf(name) + 1 || (shellCalls.includes(name) ? SHELL : 0);
        const isRead = tool > 0 && tool < SHELL && typeof json === "string" && json.length <= MAX_ATTRIBUTABLE_UNITS;
        const flags = (metadata?.inputTruncated === true ? 1 : 0) + (isRead ? 4 : 0);
        records.push(0, tool, numberOf(id), id.length, flags, typeof json === "string" ? json.length : 0);
        if (isRead) texts.push(json);
        calls.push(toolCall);
        messageOf.push(index);
      }
    } else if (message.role === "tool") {
      const { toolCallId, content, isError } = message;
      if (typeof toolCallId !== "string") refuseAt(index, ".toolCallId", "a string");
      const isText = typeof content === "string";
      records.push(1, (isError ? 1 : 0) + (isText ? 4 : 0), numberOf(toolCallId), isText ? content.length : 0, 0, 0);
      if (isText) texts.push(content.length > HEAD_UNITS ? content.slice(0, HEAD_UNITS) : content);
      receipts.push(message);
    }
  }
  const generation = currentGeneration();
  const conversation = call((engine) => new engine.LedgerConversation(Uint32Array.from(records), putTexts(engine, texts), (number: number) => isWellFormed((calls[number] as ToolCall).function.arguments)));
  try {
    return run({ conversation, calls, messageOf, receipts, numbers });
  } finally {
    // A restart in a callback has already thrown the conversation away.
    if (generation === currentGeneration()) conversation.free();
  }
}

/** Puts a receipt's content where the engine reads it; `undefined` when the engine could not see it exactly. */
function contentOf(crossing: Crossing): (receipt: number) => number | undefined {
  return (receipt) => {
    const content = crossing.receipts[receipt]?.content;
    return typeof content === "string" && isWellFormed(content) ? call((engine) => putText(engine, content)) : undefined;
  };
}

/** The path each call names, from the attributions where they know it. */
function pathsOf({ conversation, calls }: Crossing, attributions?: PathAttributions): (string | null)[] {
  const packed = new Unpacker(call(() => conversation.paths()));
  const numbers = calls.map(() => packed.optional());
  const paths = Array.from({ length: packed.number() }, () => packed.text());
  return calls.map((toolCall, index) => {
    const known = attributions?.get(toolCall);
    if (known !== undefined) return known;
    const number = numbers[index];
    const path = number === undefined ? null : (paths[number] as string);
    if (TOOLS.includes(toolCall.function.name)) attributions?.set(toolCall, path);
    return path;
  });
}

interface Keyed {
  readonly paths: readonly (string | null)[];
  /** For each call 0 without a path, 1 without a key, else its key's number and 2. */
  readonly attributions: Uint32Array;
  readonly keys: readonly string[];
}

/** Asks `keyOf` once a spelling, in the order of the calls. */
function keyPaths(paths: readonly (string | null)[], keyOf: FileKeyResolver): Keyed {
  const bySpelling = new Map<string, number>();
  const byKey = new Map<string, number>();
  const attributions = Uint32Array.from(paths, (path) => {
    if (path === null) return 0;
    let number = bySpelling.get(path);
    if (number === undefined) {
      const key = keyFor(keyOf, path);
      if (key === undefined) {
        number = 1;
      } else {
        number = byKey.get(key) ?? byKey.size + 2;
        byKey.set(key, number);
      }
      bySpelling.set(path, number);
    }
    return number;
  });
  return { paths, attributions, keys: [...byKey.keys()] };
}

function keyFor(keyOf: FileKeyResolver, path: string): string | undefined {
  try {
    const key: unknown = keyOf(path);
    return typeof key === "string" ? key : undefined;
  } catch {
    return undefined;
  }
}

function resolver(value: unknown, field: string): FileKeyResolver {
  return typeof value === "function" ? (value as FileKeyResolver) : check.refuse(field, "a function", value);
}

function attributionsOf(value: unknown): PathAttributions | undefined {
  return value === undefined || value instanceof WeakMap ? value : check.refuse("attributions", "a WeakMap", value);
}

const LIMIT_OPTIONS = ["maxEditCalls", "maxReplayedUnits", "maxPathUnits", "maxWitnessedPaths", "maxArgumentUnits"];
const DEFAULT_LIMITS = [MAX_EDIT_CALLS, MAX_REPLAYED_UNITS, MAX_PATH_UNITS, MAX_WITNESSED_PATHS, MAX_ARGUMENT_UNITS];

interface Settings {
  readonly limits: Uint32Array;
  readonly shellCalls: readonly string[] | undefined;
}

function settingsOf(value: unknown): Settings {
  const given = check.options(value, "options", [...LIMIT_OPTIONS, "shellCalls"]);
  const limits = Uint32Array.from(LIMIT_OPTIONS, (name, index) => {
    return given[name] === undefined ? (DEFAULT_LIMITS[index] as number) : check.integer(given[name], `options.${name}`);
  });
  const shellCalls = given.shellCalls === undefined ? undefined : check.array(given.shellCalls, "options.shellCalls");
  return { limits, shellCalls: shellCalls?.map((name, index) => check.string(name, `options.shellCalls[${index}]`)) };
}

// ---- history -------------------------------------------------------------------------------

/** An empty memo of which file each call names. */
export function createPathAttributions(): PathAttributions {
  return new WeakMap();
}

/**
 * Keys as `path.resolve(workingDirectory, path)` makes them, POSIX or Windows as the working directory
 * is; the path as written in a sandbox. A relative working directory is below the process's, or the root.
 */
export function lexicalFileKeys(workingDirectory: string, sandboxed: boolean): FileKeyResolver {
  check.string(workingDirectory, "workingDirectory");
  check.boolean(sandboxed, "sandboxed");
  if (sandboxed) return (path) => path;
  const key = (directory: string, path: string): string => call((engine) => engine.ledger_file_key(putTexts(engine, [directory, path]), false));
  const base = key(currentDirectory(), workingDirectory);
  // Half of a surrogate pair would not survive the crossing: such a path has no key.
  return (path) => (isWellFormed(check.string(path, "path")) ? key(base, path) : undefined);
}

/** The calls and receipts of a conversation by call id: the caller's own objects, `null` where an id is ambiguous. */
export function indexVisibleHistory(messages: readonly Message[], keyOf: FileKeyResolver): VisibleHistory {
  resolver(keyOf, "keyOf");
  return cross(messagesOf(messages), [], ({ conversation, calls, receipts }) => {
    const standings = call(() => conversation.standings());
    const byId = <T>(items: readonly T[], offset: number, idOf: (item: T) => string): Map<string, T | null> => {
      const map = new Map<string, T | null>();
      for (const [index, item] of items.entries()) {
        const standing = standings[offset + index];
        if (standing !== 2) map.set(idOf(item), standing === 0 ? item : null);
      }
      return map;
    };
    return {
      calls: byId(calls, 0, (toolCall) => toolCall.id),
      results: byId(receipts, calls.length, (receipt) => receipt.toolCallId as string),
      keyOf,
    };
  });
}

/** The paths that calls name, in the order of their first call; none when nothing is written or edited. */
export function collectObservedPaths(messages: readonly Message[], attributions?: PathAttributions): readonly string[] {
  const memo = attributionsOf(attributions);
  return cross(messagesOf(messages), [], (crossing) => {
    if (!call(() => crossing.conversation.has_mutation())) return [];
    return [...new Set(pathsOf(crossing, memo).filter((path) => path !== null))];
  });
}

/** One call and its receipt as a conversation of their own. */
function alone<T>(history: VisibleHistory, id: string, name: string, run: (crossing: Crossing, toolCall: ToolCall) => T | undefined): T | undefined {
  check.object(history, "history");
  check.string(id, "id");
  const toolCall = history.calls.get(id);
  const receipt = history.results.get(id);
  if (!toolCall || !receipt || toolCall.function?.name !== name) return undefined;
  return cross([{ role: "assistant", toolCalls: [toolCall] }, receipt], [], (crossing) => {
    const isVisible = call(() => crossing.conversation.is_visible(0, MAX_ARGUMENT_UNITS));
    return isVisible ? run(crossing, toolCall) : undefined;
  });
}

/** The call with `id`, if it is a call of `name` that nobody else claims and whose one receipt is believed. */
export function visibleCall(history: VisibleHistory, id: string, name: "write" | "edit" | "read"): ToolCall | undefined {
  return alone(history, id, name, (_, toolCall) => toolCall);
}

/** A whole body that arrived in one visible write. */
export function visibleWrite(history: VisibleHistory, id: string): { readonly path: string; readonly key: string; readonly body: string } | undefined {
  return alone(history, id, "write", (crossing) => {
    const body = call(() => crossing.conversation.written_body(0, MAX_PATH_UNITS));
    const [path] = pathsOf(crossing);
    const key = path == null ? undefined : keyFor(history.keyOf, path);
    return path == null || key === undefined || body === undefined ? undefined : { path, key, body };
  });
}

/** The arguments of one visible edit, ready for `replayHop`. */
export function visibleEdit(history: VisibleHistory, id: string): { readonly key: string; readonly input: unknown } | undefined {
  return alone(history, id, "edit", (crossing, toolCall) => {
    const isReplayable = call(() => crossing.conversation.is_replayable_edit(0));
    const [path] = pathsOf(crossing);
    const key = path == null ? undefined : keyFor(history.keyOf, path);
    return key === undefined || !isReplayable ? undefined : { key, input: JSON.parse(toolCall.function.arguments) as unknown };
  });
}

// ---- bodies --------------------------------------------------------------------------------

/** Room for `units` UTF-16 units, `MAX_REPLAYED_UNITS` unless said. */
export function createReplayBudget(units: number = MAX_REPLAYED_UNITS): ReplayBudget {
  return { remaining: check.integer(units, "units", 0, Number.MAX_SAFE_INTEGER) };
}

function remainingOf(budget: ReplayBudget): number {
  check.object(budget, "budget");
  return typeof budget.remaining === "number" ? budget.remaining : check.refuse("budget.remaining", "a number", budget.remaining);
}

/** Takes `units` from the budget; `false`, and nothing taken, when there is less. */
export function spend(budget: ReplayBudget, units: number): boolean {
  check.integer(units, "units", 0, Number.MAX_SAFE_INTEGER);
  const left = call((engine) => engine.ledger_spend(remainingOf(budget), units));
  if (left === undefined) return false;
  budget.remaining = left;
  return true;
}

/** The arguments as JSON; `undefined` for a value that has none. */
function asJson(input: unknown): string | undefined {
  try {
    return JSON.stringify(input);
  } catch {
    return undefined;
  }
}

/** `content` with one edit call's operations applied within the budget, which pays for what was built; `undefined` when they do not apply. */
export function replayHop(content: string, input: unknown, budget: ReplayBudget): string | undefined {
  check.string(content, "content");
  const room = remainingOf(budget);
  const json = asJson(input);
  if (json === undefined || !isWellFormed(content)) return undefined;
  const [result, remaining] = call((engine) => engine.ledger_replay_hop(putTexts(engine, [content, json]), room));
  budget.remaining = remaining as number;
  return result as string | undefined;
}

/** `content` with one edit call's operations applied, all or none; `undefined` when they do not apply. */
export function applyEdit(content: string, input: unknown): string | undefined {
  check.string(content, "content");
  const json = asJson(input);
  if (json === undefined || !isWellFormed(content)) return undefined;
  return call((engine) => engine.ledger_apply_edit(putTexts(engine, [content, json])));
}

/** `content` as a read shows it: numbered lines, and a notice when the window leaves some out. */
export function renderNumberedRead(content: string, window: ReadWindow = {}): string {
  check.string(content, "content");
  const given = check.options(window, "window", ["readRange", "offset", "limit"]);
  if (!isWellFormed(content)) check.refuse("content", "well-formed text without half of a surrogate pair", content);
  const offset = given.offset === undefined ? 0 : check.integer(given.offset, "window.offset");
  const limit = given.limit === undefined ? undefined : check.integer(given.limit, "window.limit");
  const range = given.readRange === undefined ? [] : check.array(given.readRange, "window.readRange");
  const [first, last] = range.map((line, index) => check.integer(line, `window.readRange[${index}]`, 1));
  if (given.readRange !== undefined && (range.length !== 2 || (last as number) < (first as number))) {
    check.refuse("window.readRange", "two line numbers, the first not after the last", given.readRange);
  }
  return call((engine) => engine.ledger_render(putText(engine, content), first, last, offset, limit));
}

/**
 * The SHA-256 of the text's UTF-8, 64 hex digits. A tracker keeps the first 16 of them; evidence takes
 * any start of at least 16 as a fingerprint of the text.
 */
export function fingerprintContent(text: string): string {
  check.string(text, "text");
  return call((engine) => engine.ledger_fingerprint(putText(engine, text)));
}

// ---- tracker -------------------------------------------------------------------------------

/** An empty ledger. Its methods work detached. After `ENGINE_RESTARTED` it is gone and says so. */
export function createFileReadTracker(): Required<FileReadTracker> {
  const generation = currentGeneration();
  const handle = call((engine) => new engine.LedgerTracker());
  const ask = <T>(run: (tracker: LedgerTracker, engine: Parameters<Parameters<typeof call>[0]>[0]) => T): T => {
    if (generation !== currentGeneration()) {
      throw new EvidenceError("ENGINE_RESTARTED", "This tracker is from before the engine was started anew: create another and replay the conversation into it.");
    }
    return call((engine) => run(handle, engine));
  };
  const keyed = <T>(run: (tracker: LedgerTracker, bytes: number) => T) => {
    return (key: string): T => ask((tracker, engine) => run(tracker, putText(engine, check.string(key, "key"))));
  };
  const recording = (run: (tracker: LedgerTracker, ends: Uint32Array) => void, names: readonly string[], optional = false) => {
    return (...values: (string | undefined)[]): void => {
      const texts: string[] = [];
      for (const [index, name] of names.entries()) {
        const value = values[index];
        if (optional && index > 0 && value === undefined) break;
        texts.push(check.string(value, name));
      }
      ask((tracker, engine) => run(tracker, putTexts(engine, texts)));
    };
  };
  return {
    recordRead: recording((tracker, ends) => tracker.record_read(ends), ["key", "content", "fullWriteCallId"], true),
    recordFullRead: recording((tracker, ends) => tracker.record_full_read(ends), ["key", "content", "callId", "renderedFingerprint"]),
    recordEdit: recording((tracker, ends) => tracker.record_edit(ends), ["key", "content", "callId"]),
    recordDriftObserved: keyed((tracker, bytes) => tracker.record_drift_observed(bytes)),
    driftObserved: keyed((tracker, bytes) => tracker.drift_observed(bytes)),
    hasRead: keyed((tracker, bytes) => tracker.has_read(bytes)),
    fingerprint: keyed((tracker, bytes) => tracker.fingerprint(bytes)),
    writeCallId: keyed((tracker, bytes) => tracker.write_call_id(bytes)),
    editChain: keyed((tracker, bytes) => {
      const [rootWriteCallId, ...editCallIds] = tracker.edit_chain(bytes);
      return rootWriteCallId === undefined ? undefined : { rootWriteCallId, editCallIds };
    }),
    readWitness: keyed((tracker, bytes) => {
      const [callId, renderedFingerprint] = tracker.read_witness(bytes);
      return callId === undefined || renderedFingerprint === undefined ? undefined : { callId, renderedFingerprint };
    }),
  };
}

function trackerOf(value: unknown): FileReadTracker {
  return check.host<FileReadTracker>(value, "tracker", ["recordRead"]);
}

/** Whether the tracker knows that a file differs from what it holds. */
export function knownStale(tracker: FileReadTracker, key: string): boolean {
  check.object(tracker, "tracker");
  return tracker.driftObserved?.(check.string(key, "key")) === true;
}

// ---- replay --------------------------------------------------------------------------------

interface Witnessed {
  readonly key: string;
  readonly write: number;
  readonly shell: number | undefined;
  readonly edits: readonly number[];
}

/** What the engine says of one pass, whether it rebuilds or explains. */
interface Pass {
  readonly witnessed: readonly Witnessed[];
  readonly seen: number;
  readonly units: number;
  readonly stoppedAt: number | undefined;
  readonly stopReason: string | undefined;
  readonly rest: Unpacker;
}

function runPass(crossing: Crossing, { attributions, keys }: Keyed, limits: Uint32Array, way: "replay" | "explain"): Pass {
  const rest = new Unpacker(call(() => crossing.conversation[way](attributions, limits, contentOf(crossing))));
  const count = rest.number();
  const [seen, units, stoppedAt, stopReason] = [rest.number(), rest.number(), rest.optional(), rest.optionalText()];
  const witnessed = Array.from({ length: count }, () => {
    const [key, write, shell] = [rest.number(), rest.number(), rest.optional()];
    return { key: keys[key] as string, write, shell, edits: Array.from({ length: rest.number() }, () => rest.number()) };
  });
  return { witnessed, seen, units, stoppedAt, stopReason, rest };
}

/** The bodies of a chain, which cross as the first and one change an edit. */
function bodiesOf(rest: Unpacker, edits: number): string[] {
  let body = rest.text();
  const bodies = [body];
  for (let edit = 0; edit < edits; edit += 1) {
    const [start, removed, inserted] = [rest.number(), rest.number(), rest.text()];
    body = body.slice(0, start) + inserted + body.slice(start + removed);
    bodies.push(body);
  }
  return bodies;
}

function shellSince(pass: Pass, calls: readonly ToolCall[]): ShellSince[] {
  return pass.witnessed.flatMap(({ key, shell }) => {
    const toolCall = shell === undefined ? undefined : calls[shell];
    return toolCall ? [{ key, callId: toolCall.id, tool: toolCall.function.name }] : [];
  });
}

/** Writes one file to the tracker; the call id where it threw, with what it threw. */
function commit(tracker: FileReadTracker, { key, write, edits }: Witnessed, bodies: readonly string[], calls: readonly ToolCall[]): Omit<TrackerFailure, "written"> | undefined {
  let callId = (calls[write] as ToolCall).id;
  try {
    tracker.recordRead(key, bodies[0] as string, callId);
    for (const [index, edit] of edits.entries()) {
      callId = (calls[edit] as ToolCall).id;
      const body = bodies[index + 1] as string;
      if (typeof tracker.recordEdit === "function") tracker.recordEdit(key, body, callId);
      else tracker.recordRead(key, body);
    }
    return undefined;
  } catch (error) {
    try {
      tracker.recordDriftObserved?.(key);
    } catch {
      // The first error is the one to tell.
    }
    return { error, key, callId };
  }
}

/**
 * Rebuilds a session's ledger from the conversation: every file whose body follows exactly from visible
 * calls is written to the tracker, at the end; of every other nothing.
 */
export function replayObservationLedger(messages: readonly Message[], tracker: FileReadTracker, keyOf: FileKeyResolver, attributions?: PathAttributions, options?: ReplayOptions): LedgerReplayReport {
  trackerOf(tracker);
  resolver(keyOf, "keyOf");
  const memo = attributionsOf(attributions);
  const { limits, shellCalls } = settingsOf(options);
  return cross(messagesOf(messages), shellCalls ?? [], (crossing) => {
    const pass = runPass(crossing, keyPaths(pathsOf(crossing, memo), keyOf), limits, "replay");
    const written: string[] = [];
    let failure: TrackerFailure | undefined;
    for (const witnessed of pass.witnessed) {
      const bodies = bodiesOf(pass.rest, witnessed.edits.length);
      const failed = commit(tracker, witnessed, bodies, crossing.calls);
      if (failed) {
        failure = { ...failed, written };
        break;
      }
      written.push(witnessed.key);
    }
    return {
      pathsWitnessed: written.length,
      pathsSeen: pass.seen + pass.witnessed.length - written.length,
      unitsReplayed: pass.units,
      ...(shellCalls && { shellSince: shellSince(pass, crossing.calls) }),
      ...(failure && { trackerFailure: failure }),
    };
  });
}

/** The account of a pass over the conversation: for each file the steps taken and why it was withdrawn. Writes nothing. */
export function explainLedger(messages: readonly Message[], keyOf: FileKeyResolver, options?: ReplayOptions): LedgerAccount {
  resolver(keyOf, "keyOf");
  const { limits, shellCalls } = settingsOf(options);
  return cross(messagesOf(messages), shellCalls ?? [], (crossing) => {
    const { calls, messageOf } = crossing;
    const keyed = keyPaths(pathsOf(crossing), keyOf);
    const pass = runPass(crossing, keyed, limits, "explain");
    const stopped = pass.stoppedAt === undefined ? undefined : { reason: pass.stopReason as LedgerStopReason, callId: (calls[pass.stoppedAt] as ToolCall).id, messageIndex: messageOf[pass.stoppedAt] as number };
    const spellings = new Map<number, Set<string>>();
    keyed.attributions.forEach((number, index) => {
      if (number > 1) spellings.set(number - 2, (spellings.get(number - 2) ?? new Set()).add(keyed.paths[index] as string));
    });
    const { rest } = pass;
    const step = (): LedgerStep => {
      const [number, action, reason, units] = [rest.number(), rest.text(), rest.optionalText(), rest.number()];
      const { id, function: { name } } = calls[number] as ToolCall;
      return { callId: id, tool: name, messageIndex: messageOf[number] as number, action, ...(reason !== undefined && { reason }), units } as LedgerStep;
    };
    const paths: LedgerPathAccount[] = [];
    while (!rest.done) {
      const number = rest.number();
      const place = rest.optional();
      const witnessed = place === undefined ? undefined : pass.witnessed[place];
      const fingerprint = witnessed && rest.text();
      const reason = rest.optionalText() as LedgerReason | undefined;
      paths.push({
        key: keyed.keys[number] as string,
        paths: [...(spellings.get(number) ?? [])],
        outcome: witnessed ? "witnessed" : "withdrawn",
        ...(reason !== undefined && { reason }),
        ...(witnessed && {
          fingerprint,
          bodyInCall: (calls[witnessed.write] as ToolCall).id,
          editsInCalls: witnessed.edits.map((edit) => (calls[edit] as ToolCall).id),
        }),
        steps: Array.from({ length: rest.number() }, step),
      });
    }
    return {
      pathsWitnessed: pass.witnessed.length,
      pathsSeen: pass.seen,
      unitsReplayed: pass.units,
      ...(shellCalls && { shellSince: shellSince(pass, calls) }),
      ...(stopped && { stopped }),
      paths,
    };
  });
}

// ---- evidence ------------------------------------------------------------------------------

/** What a tracker's method answers; nothing when it has none or throws. */
function answer<T>(run: () => T | undefined): T | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}

/** The files whose body the tracker observed and the conversation still shows, oldest first. */
export function visibleFileEvidence(messages: readonly Message[], tracker: FileReadTracker, workingDirectory: string, sandboxed: boolean): readonly VisibleFileEvidence[] {
  trackerOf(tracker);
  const keyOf = lexicalFileKeys(workingDirectory, sandboxed);
  return cross(messagesOf(messages), [], (crossing) => {
    const { calls, numbers } = crossing;
    const keyed = keyPaths(pathsOf(crossing), keyOf);
    const observations: number[] = [];
    const texts: string[] = [];
    const numberOf = (id: unknown): number => (typeof id === "string" ? (numbers.get(id) ?? NONE) : NONE);
    for (const key of keyed.keys) {
      const fingerprint: unknown = answer(() => tracker.fingerprint?.(key));
      const chain = answer(() => tracker.editChain?.(key));
      const edits: readonly unknown[] = Array.isArray(chain?.editCallIds) ? chain.editCallIds : [];
      const read = answer(() => tracker.readWitness?.(key));
      const readNumber = typeof read?.renderedFingerprint === "string" ? numberOf(read.callId) : NONE;
      // A tracker that cannot say whether it is behind the disk has said that it may be.
      const isStale = (answer(() => ({ stale: knownStale(tracker, key) }))?.stale ?? true) ? 1 : 0;
      observations.push(isStale, typeof fingerprint === "string" ? 1 : 0, numberOf(answer(() => tracker.writeCallId?.(key))));
      observations.push(numberOf(chain?.rootWriteCallId), edits.length, ...edits.map(numberOf), readNumber);
      if (typeof fingerprint === "string") texts.push(fingerprint);
      if (readNumber !== NONE) texts.push((read as { renderedFingerprint: string }).renderedFingerprint);
    }
    const limits = Uint32Array.from(DEFAULT_LIMITS);
    const packed = new Unpacker(call((engine) => crossing.conversation.evidence(keyed.attributions, limits, Uint32Array.from(observations), putTexts(engine, texts), contentOf(crossing))));
    const found: VisibleFileEvidence[] = [];
    const idOf = (number: number): string => (calls[number] as ToolCall).id;
    while (!packed.done) {
      const path = packed.text();
      const isRead = packed.number() === 1;
      const bodyInCall = idOf(packed.number());
      const editsInCalls = Array.from({ length: packed.number() }, () => idOf(packed.number()));
      found.push({ path, ...(isRead && { kind: "read" as const }), bodyInCall, ...(editsInCalls.length > 0 && { editsInCalls }), observedFingerprint: packed.text() });
    }
    return found;
  });
}

/** `visibleFileEvidence` as a note for the model: one sentence, and behind a newline the entries as JSON; `undefined` without any. */
export function describeVisibleFileEvidence(messages: readonly Message[], tracker: FileReadTracker, workingDirectory: string, sandboxed: boolean): string | undefined {
  const found = visibleFileEvidence(messages, tracker, workingDirectory, sandboxed);
  if (found.length === 0) return undefined;
  return `Files whose whole content is already in this conversation. bodyInCall names the write that holds it, editsInCalls the edits to apply to it in order; for kind "read" the numbered receipt of that read is the content. This was checked against what the session last observed, not against the disk: edit and write still refuse a file that changed. Nothing is claimed about files not listed.\n${JSON.stringify(found)}`;
}
