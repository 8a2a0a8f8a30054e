/** One append-only file a chat, over an injected storage. */
import * as check from "./check.js";
import { call, currentGeneration, putText, putTexts, Unpacker } from "./engine.js";
import { EvidenceError } from "./errors.js";
import { optionalDefault, platformDefault } from "./platform.js";
import { DECISIONS_MARKER, rootTexts, splitHalves, staleHandle, withRootAliases } from "./transcript-text.js";
import type { ChatCitationItem } from "./citation-types.js";
import type { ChatAttachment, ChatRepoRoot, ChatTranscriptRecord, ChatTranscriptStoreOptions, CoreEvent, DecisionView, FsyncPolicy, SkippedBytes, SkipReason, TranscriptReport, TranscriptStorage } from "./transcript-types.js";

type Engine = Parameters<Parameters<typeof call>[0]>[0];
type Recorder = InstanceType<Engine["TranscriptRecorder"]>;
type Reader = InstanceType<Engine["TranscriptReader"]>;

/** The name of the directory in the state home. */
export const CHAT_TRANSCRIPTS_DIRNAME = "chats";

const STORAGE_METHODS = ["ensureDir", "append", "read", "stat", "list", "remove"] as const;
const OPTIONS = ["dir", "now", "storage", "fsync", "decisionsMarker"];

/**
 * Where transcripts are kept when no directory is given: in Node `agent-evidence/chats` below
 * `$XDG_STATE_HOME`, `%LOCALAPPDATA%` on Windows, else `~/.local/state`; elsewhere just `chats`.
 */
export function defaultChatTranscriptsDir(): string {
  return optionalDefault("transcriptsDir")?.() ?? CHAT_TRANSCRIPTS_DIRNAME;
}

/**
 * The transcripts of one directory: what was said, kept for the life of each chat and no longer.
 *
 * An append that returned is whole and survives the end of the process; `fsync: "always"` adds the
 * power cut. Several processes may append to one directory. An id that may not name a chat is never
 * a path: there is nothing to read and nothing is written.
 */
export class ChatTranscriptStore {
  readonly #dir: string;
  readonly #now: () => unknown;
  readonly #storage: TranscriptStorage;
  readonly #sync: boolean;
  readonly #recorder: Recorder;
  readonly #generation = currentGeneration();

  constructor(opts?: ChatTranscriptStoreOptions) {
    const given = check.options(opts, "opts", OPTIONS);
    const { now = Date.now, fsync = "never" satisfies FsyncPolicy, decisionsMarker = DECISIONS_MARKER } = given;
    if (typeof now !== "function") check.refuse("opts.now", "a function", now);
    if (fsync !== "never" && fsync !== "always") check.refuse("opts.fsync", '"never" or "always"', fsync);
    const marker = check.string(decisionsMarker, "opts.decisionsMarker");
    this.#dir = check.string(given["dir"] ?? defaultChatTranscriptsDir(), "opts.dir");
    if (this.#dir === "") throw new EvidenceError("INVALID_ARGUMENT", "opts.dir must not be empty.", { field: "opts.dir" });
    this.#now = now as () => unknown;
    this.#sync = fsync === "always";
    this.#storage = check.host(given["storage"] ?? platformDefault("transcriptStorage", "opts.storage")(), "opts.storage", STORAGE_METHODS);
    this.#recorder = call((engine) => new engine.TranscriptRecorder(putTexts(engine, [this.#dir, marker])));
  }

  /** The directory this store writes in. */
  get directory(): string {
    return this.#dir;
  }

  /** The path of a chat's file, there or not; null for an id that may not name one. */
  pathOf(chatId: string): string | null {
    check.string(chatId, "chatId");
    return this.#ask((recorder, engine) => recorder.path(putText(engine, chatId))) ?? null;
  }

  /** Takes the roots that a chat's replies are rewritten with, in place of earlier ones, with their aliases. */
  registerRoots(chatId: string, repos: ReadonlyArray<ChatRepoRoot>): void {
    check.string(chatId, "chatId");
    rootTexts(repos, "repos");
    const texts = [chatId, ...rootTexts(withRootAliases(repos), "repos")];
    this.#ask((recorder, engine) => recorder.register_roots(putTexts(engine, texts)));
  }

  /** Appends the user's message and the seats it reached. */
  appendUser(chatId: string, turnId: string, text: string, seats: readonly string[], attachments?: readonly ChatAttachment[]): void {
    const texts = [check.string(chatId, "chatId"), turn(turnId, "turnId"), check.string(text, "text")];
    texts.push(attachments === undefined ? "" : json(attachments, "attachments"));
    check.array(seats, "seats").forEach((seat, index) => texts.push(check.string(seat, `seats[${index}]`)));
    this.#append((recorder, engine, at) => recorder.user(putTexts(engine, texts), at, attachments !== undefined));
  }

  /** Appends a preface the seats were given with the turn's message. */
  appendSystem(chatId: string, turnId: string, text: string): void {
    const texts = [check.string(chatId, "chatId"), turn(turnId, "turnId"), check.string(text, "text")];
    this.#append((recorder, engine, at) => recorder.system(putTexts(engine, texts), at));
  }

  /**
   * Appends the reply that a stamped `chatReply` frame brings, rewritten as {@link rewriteEvent} does.
   * Any other frame, one without `turn_id`, and one of a dropped chat are ignored.
   */
  observe(stamped: CoreEvent): void {
    const { type, chat, cliKey, turn_id: turnId, text, ok, usage } = check.object(stamped, "stamped");
    const texts = [chat, turnId, cliKey, text];
    if (type !== "chatReply" || !texts.every((value) => typeof value === "string") || turnId === "") return;
    texts.push(json(usage ?? null, "stamped.usage"));
    this.#append((recorder, engine, at) => recorder.seat(putTexts(engine, texts as string[]), at, ok !== false));
  }

  /** Appends the verdicts on a reply already recorded. A frame without `turn_id`, or of a dropped chat, is ignored. */
  recordCitations(frame: { chat: string; cliKey: string; turn_id?: string; verified: number; unverifiable: number; corrected: number; unchecked: number; items: ChatCitationItem[] }): void {
    const { chat, cliKey, turn_id: turnId, items, ...counts } = check.object(frame, "frame");
    const texts = [check.string(chat, "frame.chat"), "", check.string(cliKey, "frame.cliKey"), json(items, "frame.items")];
    const [verified, unverifiable, corrected, unchecked] = ["verified", "unverifiable", "corrected", "unchecked"].map((name) => check.integer(counts[name], `frame.${name}`)) as [number, number, number, number];
    if (turnId === undefined || turnId === null || turnId === "") return;
    texts[1] = check.string(turnId, "frame.turn_id");
    this.#append((recorder, engine, at) => recorder.citations(putTexts(engine, texts), at, verified, unverifiable, corrected, unchecked));
  }

  /** Appends the decisions made from a turn, if the chat has a transcript. */
  recordDecisions(frame: { chat: string; turnId: string; items: DecisionView[] }): void {
    const { chat, turnId, items } = check.object(frame, "frame");
    const texts = [check.string(chat, "frame.chat"), turn(turnId, "frame.turnId"), json(items, "frame.items")];
    this.#append((recorder, engine, at) => recorder.decisions(putTexts(engine, texts), at));
  }

  /**
   * The frame as everyone may see it. In a `chatReply`, host paths of the chat's roots are rewritten
   * and decisions blocks cut; in a `chatDelta` (its `text`, or else its `delta`), blocks never stream.
   * A new object when the text changed, the same when not.
   */
  rewriteEvent<E extends CoreEvent>(event: E): E {
    const { type, chat, cliKey, turn_id: turnId, text, delta } = check.object(event, "event");
    const field = type === "chatDelta" && typeof text !== "string" ? "delta" : "text";
    const said = field === "text" ? text : delta;
    if (typeof chat !== "string" || typeof cliKey !== "string" || typeof said !== "string") return event;
    let shown: string | undefined;
    if (type === "chatReply") {
      shown = this.#ask((recorder, engine) => recorder.reply(putTexts(engine, [chat, cliKey, said])));
    } else if (type === "chatDelta") {
      const { low, whole, high } = splitHalves(said);
      const stamp = typeof turnId === "string" ? turnId : "";
      shown = this.#ask((recorder, engine) => recorder.delta(putTexts(engine, [chat, cliKey, stamp, whole]), low, high));
    }
    return shown === undefined ? event : { ...event, [field]: shown };
  }

  /** The body of the block cut from the seat's last reply, once; then null. */
  takeDecisionsBlock(chatId: string, cliKey: string): string | null {
    const texts = [check.string(chatId, "chatId"), check.string(cliKey, "cliKey")];
    return this.#ask((recorder, engine) => recorder.take_block(putTexts(engine, texts))) ?? null;
  }

  /** Every whole record in append order; none when there is no file, or none that can be read. */
  read(chatId: string): ChatTranscriptRecord[] {
    return this.readReport(chatId).records;
  }

  /** {@link read}, and what of the file is no record. */
  readReport(chatId: string): TranscriptReport {
    const report: TranscriptReport = { records: [], skipped: [], skippedTotal: 0, unreadable: null };
    for (const batch of this.#batches(chatId, report)) {
      for (const record of batch) report.records.push(record);
    }
    return report;
  }

  /** {@link read}, one by one: memory is the longest line and `TRANSCRIPT_READ_BYTES`, whatever the file's length. */
  *records(chatId: string): Generator<ChatTranscriptRecord, void, undefined> {
    for (const batch of this.#batches(chatId)) yield* batch;
  }

  /** Removes a chat's file and all that is remembered of it. Only its user, or its roots given anew, bring it back. */
  drop(chatId: string): void {
    check.string(chatId, "chatId");
    const path = this.#ask((recorder, engine) => recorder.drop_chat(putText(engine, chatId)));
    if (path !== undefined) use("remove", path, () => this.#storage.remove(path));
  }

  /** Removes every transcript of the directory whose chat is not in `retainedChatIds`; other files stay. */
  clearOrphaned(retainedChatIds: ReadonlySet<string>): void {
    if (typeof retainedChatIds?.has !== "function" || typeof retainedChatIds[Symbol.iterator] !== "function") check.refuse("retainedChatIds", "a Set", retainedChatIds);
    const retained = [...retainedChatIds].map((id) => check.string(id, "retainedChatIds"));
    const names = use("list", this.#dir, () => this.#storage.list(this.#dir));
    if (!Array.isArray(names) || !names.every((name) => typeof name === "string")) throw failed("list", this.#dir, "WRONG_ANSWER");
    let failure: unknown;
    for (const index of call((engine) => engine.transcript_orphans(putTexts(engine, [...names, ...retained]), names.length))) {
      const id = names[index]!.slice(0, -".jsonl".length);
      const path = this.pathOf(id)!;
      try {
        use("remove", path, () => this.#storage.remove(path));
      } catch (error) {
        failure ??= error;
      }
    }
    if (failure !== undefined) throw failure;
  }

  #ask<T>(run: (recorder: Recorder, engine: Engine) => T): T {
    return call((engine) => {
      if (this.#generation !== currentGeneration()) throw staleHandle("ChatTranscriptStore");
      return run(this.#recorder, engine);
    });
  }

  #append(build: (recorder: Recorder, engine: Engine, at: number) => unknown[] | undefined): void {
    const now = this.#now();
    const at = typeof now === "number" && Number.isFinite(now) ? now : Date.now();
    const planned = this.#ask((recorder, engine) => build(recorder, engine, at)) as [string, Uint8Array, boolean] | undefined;
    if (!planned) return;
    const [path, line, onlyToExisting] = planned;
    if (onlyToExisting && !use("stat", path, () => this.#storage.stat(path))) return;
    use("ensureDir", this.#dir, () => this.#storage.ensureDir(this.#dir));
    use("append", path, () => this.#storage.append(path, line, { sync: this.#sync }));
  }

  *#batches(chatId: string, report?: TranscriptReport): Generator<ChatTranscriptRecord[], void, undefined> {
    const path = this.pathOf(chatId);
    if (path === null) return;
    const generation = currentGeneration();
    const reader = call((engine) => new engine.TranscriptReader());
    const ask = <T>(run: (reader: Reader) => T): T => {
      if (generation !== currentGeneration()) throw staleHandle("iterator");
      return call(() => run(reader));
    };
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    try {
      for (let offset = 0, read = -1; read !== 0; offset += read) {
        const target = view(ask((reader) => reader.space()));
        try {
          read = answered(use("read", path, () => this.#storage.read(path, offset, target)), target.length, path);
        } catch (error) {
          if (report && error instanceof EvidenceError) report.unreadable = String(error.details["reason"]);
          read = 0;
        }
        const packed = view(ask((reader) => reader.take(read)));
        if (packed.length > 0) yield JSON.parse(decoder.decode(packed)) as ChatTranscriptRecord[];
      }
      if (report) ask((reader) => describeDamage(reader, report));
    } finally {
      if (generation === currentGeneration()) reader.free();
    }
  }
}

// The engine's memory may have moved since the last look.
function view(place: Uint32Array): Uint8Array {
  return new Uint8Array(call((engine) => engine.wasm_memory() as WebAssembly.Memory).buffer, place[0], place[1]);
}

function answered(read: unknown, most: number, path: string): number {
  if (read === null) return 0;
  if (typeof read !== "number" || !Number.isInteger(read) || read < 0 || read > most) throw failed("read", path, "WRONG_ANSWER");
  return read;
}

function describeDamage(reader: Reader, report: TranscriptReport): void {
  const places = reader.skipped_places();
  const reasons = new Unpacker(reader.skipped_reasons());
  report.skippedTotal = reader.skipped_total();
  for (let index = 0; index < places.length; index += 3) {
    const [line, byteOffset, byteLength] = places.subarray(index, index + 3) as unknown as [number, number, number];
    report.skipped.push({ line, byteOffset, byteLength, reason: reasons.text() as SkipReason } satisfies SkippedBytes);
  }
}

function turn(value: unknown, field: string): string {
  if (value === "") throw new EvidenceError("INVALID_ARGUMENT", `${field} must not be empty.`, { field });
  return check.string(value, field);
}

function json(value: unknown, field: string): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch {
    // A cycle, a BigInt, or a `toJSON` that threw.
  }
  return text ?? check.refuse(field, "JSON", value);
}

function use<T>(operation: keyof TranscriptStorage, path: string, run: () => T): T {
  try {
    return run();
  } catch (cause) {
    const { code, name } = (typeof cause === "object" && cause !== null ? cause : {}) as { code?: unknown; name?: unknown };
    const reason = [code, name].find((word) => typeof word === "string" && /^\w{1,40}$/.test(word)) ?? "UNKNOWN";
    throw failed(operation, path, reason as string, cause);
  }
}

// The message names the file and the reason; what was to be written is nobody's business.
function failed(operation: keyof TranscriptStorage, path: string, reason: string, cause?: unknown): EvidenceError {
  return new EvidenceError("STORAGE_FAILED", `The storage of transcripts failed to ${operation === "ensureDir" ? "make private" : operation} ${path}: ${reason}.`, { operation, path, reason }, { cause });
}
