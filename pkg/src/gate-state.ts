/** Gate: what is owed before an agent may say "done". */
import * as check from "./check.js";
import { call, currentGeneration, putText, putTexts, Unpacker } from "./engine.js";
import type * as bindings from "./wasm/agent_evidence.js";

/** The kind under which hosts store a {@link VerificationSnapshot} in a session. */
export const VERIFICATION_STATE_KIND = "verification_state";
/** Initial demands a run; the same as `LIMITS.MAX_VERIFICATION_INJECTIONS`. */
export const MAX_VERIFICATION_INJECTIONS = 1;
/** Tamper demands a run; the same as `LIMITS.MAX_TAMPER_INJECTIONS`. */
export const MAX_TAMPER_INJECTIONS = 1;

/** A message for the model. */
export interface GateMessage {
  role: "user";
  content: string;
}

/** A change of this run that altered what the checks assert. */
export interface SuspectMutation {
  filePath: string;
  /** What makes it suspect, in words. */
  reason: string;
}

/** A check that ran and proved nothing. */
export interface RejectedCheck {
  command: string;
  reason: string;
}

/** Why a stop would be answered: a first demand, one after a check that no longer covers the code, or a disclosure. */
export type PendingReason = "initial" | "recheck" | "tamper";

/** A demand as fields, for a host with words or a language of its own. */
export interface DemandData {
  reason: PendingReason;
  /** Why a check is owed: a failure is left, or none has passed; `null` when none is owed. */
  problem: "failed" | "missing" | null;
  /** Files changed since the last counted check, sorted. */
  files: string[];
  /** How many commands failed and are not settled. */
  failedChecks: number;
  /** What ran and did not count since the last demand or counted check, oldest first. */
  rejectedChecks: RejectedCheck[];
  /** The cause given to `requireFreshVerification`. */
  cause: string | null;
  /** Suspect changes of this run, sorted by path. */
  suspects: SuspectMutation[];
}

/** The gate at rest, as plain JSON. Commands are in it only as SHA-256. */
export interface VerificationSnapshot {
  version: 1;
  seq: number;
  mutation: number;
  verified: number;
  files: string[];
  /** `<sha256>`, or `<sha256>@<revision>`. */
  failedChecks: string[];
  unknown: boolean;
  /** What keeps suspicion alive; only there when something is suspect. */
  suspicion?: {
    suspects: { filePath: string; since: number; checkFile: boolean; markers: string[] }[];
    verified: number;
    demands: number;
  };
}

/** Options of {@link VerificationGate.recordMutation}. */
export interface MutationOptions {
  /** `addedText` is the whole file: markers it no longer has stop counting. */
  wholeFile?: boolean;
  /** With `wholeFile`: the file before the change; markers it had already do not start to count. */
  before?: string;
}

/** The added text of one file of a diff. */
export interface FileLines {
  /** The new name, or the old one of a deleted file; `""` when the diff names none. */
  filePath: string;
  addedText: string;
}

type Engine = typeof bindings;
type Step<T> = (engine: Engine, handle: bindings.GateHandle) => T;

/** Journal units (UTF-16 units and a fixed share a step) after which the state is saved anew. */
const JOURNAL_UNITS = 65_536;
const REASONS = [null, "initial", "recheck", "tamper"] as const;

/**
 * Keeps the books of one conversation: which code changed, which checks passed or failed since, and
 * what a stop has to be answered with.
 *
 * Nothing has to be freed, and a restart of the engine loses nothing: the steps since the last saved
 * state are kept and taken again.
 */
export class VerificationGate {
  #handle: bindings.GateHandle | undefined;
  #generation = -1;
  #saved: string | undefined;
  #journal: Step<unknown>[] = [];
  #units = 0;

  /** Notes that `filePath` was changed. `addedText` is what was added: the `+` lines of a diff or a written file; without it only the path is judged. */
  recordMutation(filePath: string, addedText?: string, options?: MutationOptions): void {
    const path = check.string(filePath, "filePath");
    if (path.includes("\0")) check.refuse("filePath", "a path without NUL", path);
    if (addedText !== undefined) check.string(addedText, "addedText");
    const { wholeFile, before } = check.options(options, "options", ["wholeFile", "before"]);
    if (wholeFile !== undefined) check.boolean(wholeFile, "options.wholeFile");
    if (before !== undefined) check.string(before, "options.before");
    if (wholeFile === true) {
      const texts = [path, check.string(addedText, "addedText")];
      if (before !== undefined) texts.push(before as string);
      this.#change((engine, handle) => handle.record_whole_file(putTexts(engine, texts)), texts.reduce((sum, text) => sum + text.length, 0));
    } else {
      const text = addedText === undefined ? path : `${path}\0${addedText}`;
      this.#change((engine, handle) => handle.record_mutation(putText(engine, text)), text.length);
    }
  }

  /** The sequence number of the last change; capture it when a check starts. */
  get revision(): number {
    return this.#ask((_, handle) => handle.revision());
  }

  /** Notes that `command` passed at `revision` (default: the current one). Anything but the current revision is ignored. */
  recordVerification(revision?: number, command = "verification"): void {
    if (revision !== undefined) check.integer(revision, "revision");
    check.string(command, "command");
    this.#change((engine, handle) => handle.record_verification(putText(engine, command), revision), command.length);
  }

  /** Notes that `command` failed at `revision` (default: the current one). It stands unless the command has passed at a newer revision. */
  recordFailedVerification(command: string, revision?: number): void {
    check.string(command, "command");
    if (revision !== undefined) check.integer(revision, "revision");
    this.#change((engine, handle) => handle.record_failed_verification(putText(engine, command), revision), command.length);
  }

  /** Notes that `command` ran in a way that proves nothing; the next demand explains `reason`. */
  recordRejectedCheck(command: string, reason: string): void {
    const texts = [check.string(command, "command"), check.string(reason, "reason")];
    this.#change((engine, handle) => handle.record_rejected_check(putTexts(engine, texts)), command.length + reason.length);
  }

  /** Makes a check owed whatever has passed; with `invalidateRevision` checks still running prove nothing either. `cause` is explained in the next demand. */
  requireFreshVerification(invalidateRevision = false, cause?: string): void {
    check.boolean(invalidateRevision, "invalidateRevision");
    if (cause !== undefined) check.string(cause, "cause");
    this.#change((engine, handle) => handle.require_fresh_verification(invalidateRevision, cause === undefined ? undefined : putText(engine, cause)), cause?.length ?? 0);
  }

  /** Why a check is owed, as a sentence; `null` when none is. */
  verificationProblem(): string | null {
    return this.#ask((_, handle) => handle.verification_problem()) ?? null;
  }

  /** Debt and suspicion as plain JSON. */
  snapshot(): VerificationSnapshot {
    return JSON.parse(this.#ask((_, handle) => handle.snapshot())) as VerificationSnapshot;
  }

  /** Takes over a snapshot; any value is accepted, and one that is no snapshot leaves a gate that owes a check. Budgets start whole. */
  restore(value: unknown): void {
    const text = toJson(value);
    this.#change((engine, handle) => handle.restore(putText(engine, text)), text.length);
  }

  /** Starts a run: budgets are whole, nothing in it is suspect; debt stays. */
  beginRun(): void {
    this.#change((_, handle) => handle.begin_run());
  }

  /** True while a check is owed. */
  isOwed(): boolean {
    return this.#ask((_, handle) => handle.is_owed());
  }

  /** True when a check passed in this run after the checks themselves had changed. */
  isTamperOwed(): boolean {
    return this.#ask((_, handle) => handle.is_tamper_owed());
  }

  /** The suspect changes of this run, sorted by path. */
  tamperSuspects(): SuspectMutation[] {
    return this.#ask((_, handle) => handle.tamper_suspects()) as SuspectMutation[];
  }

  /** True when a stop now would be answered. */
  willInject(): boolean {
    return this.pendingReason() !== null;
  }

  /** Why a stop now would be answered; `null` when it would not. */
  pendingReason(): PendingReason | null {
    return REASONS[this.#ask((_, handle) => handle.pending_reason())] ?? null;
  }

  /** The demand a stop would be answered with, as fields; spends nothing. */
  demandData(): DemandData | null {
    return this.#ask((_, handle) => handle.demand_data()) as DemandData | null;
  }

  /** The answer to a stop, and its budget is spent; `null` when nothing is to be asked. */
  followUp(): GateMessage[] | null {
    const content = this.#change((_, handle) => handle.follow_up());
    return content === undefined ? null : [{ role: "user", content }];
  }

  /** Forgets everything. */
  reset(): void {
    this.#change((_, handle) => handle.reset());
  }

  /** The snapshot: what structured logs show. */
  toJSON(): VerificationSnapshot {
    return this.snapshot();
  }

  /** Gives the engine's memory back at once. The gate stays usable; without this the collector does it. */
  [Symbol.dispose](): void {
    if (this.#isLive()) {
      this.#save();
      this.#handle?.free();
    }
    this.#handle = undefined;
  }

  /** What Node's `console.log` shows. */
  [Symbol.for("nodejs.util.inspect.custom")](_depth: number, options: object, inspect?: (value: unknown, options: object) => string): unknown {
    const { files, failedChecks } = this.snapshot();
    const state = { owed: this.isOwed(), pendingReason: this.pendingReason(), revision: this.revision, files, failedChecks: failedChecks.length, suspects: this.tamperSuspects() };
    return inspect === undefined ? state : `VerificationGate ${inspect(state, options)}`;
  }

  #isLive(): boolean {
    return this.#handle !== undefined && this.#generation === currentGeneration();
  }

  /** The handle of this engine, brought to the present state. */
  #live(engine: Engine): bindings.GateHandle {
    if (this.#handle !== undefined && this.#generation === currentGeneration()) return this.#handle;
    const handle = new engine.GateHandle();
    if (this.#saved !== undefined) handle.load(putText(engine, this.#saved));
    for (const step of this.#journal) step(engine, handle);
    this.#generation = currentGeneration();
    return (this.#handle = handle);
  }

  #ask<T>(step: Step<T>): T {
    return call((engine) => step(engine, this.#live(engine)));
  }

  #change<T>(step: Step<T>, units = 0): T {
    const result = this.#ask(step);
    this.#journal.push(step);
    this.#units += units + 64;
    // In proportion to what a save costs, so that many steps cost linear time.
    if (this.#units > Math.max(JOURNAL_UNITS, 4 * (this.#saved?.length ?? 0))) this.#save();
    return result;
  }

  #save(): void {
    this.#saved = this.#ask((_, handle) => handle.dump());
    this.#journal = [];
    this.#units = 0;
  }
}

/** Any value as JSON; what has none, or throws when read, is `null`. */
function toJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "null";
  } catch {
    return "null";
  }
}

/** True for paths of source code and build scripts; not for documents, settings, data or styles. */
export function isCodeFilePath(filePath: string): boolean {
  check.string(filePath, "filePath");
  return call((engine) => engine.gate_is_code_file_path(putText(engine, filePath)));
}

/** True for files that define what a check asserts: tests, expected output, settings of runners and linters, continuous integration. */
export function isCheckOwnFile(filePath: string): boolean {
  check.string(filePath, "filePath");
  return call((engine) => engine.gate_is_check_own_file(putText(engine, filePath)));
}

/** The markers in `addedText` that silence, skip or empty a check: each once, in the order they first occur. */
export function detectCheckWeakening(addedText: string): string[] {
  check.string(addedText, "addedText");
  return call((engine) => engine.gate_detect_check_weakening(putText(engine, addedText))) as string[];
}

/** The added lines of a unified, git or combined diff without their mark, joined by newlines. */
export function extractAddedLines(diff: string): string {
  check.string(diff, "diff");
  return call((engine) => engine.gate_extract_added_lines(putText(engine, diff)));
}

/** The added lines per file, in the order of the diff; every file it touches is there, also renamed, deleted and binary ones. */
export function addedLinesByFile(diff: string): FileLines[] {
  check.string(diff, "diff");
  const packed = new Unpacker(call((engine) => engine.gate_added_lines_by_file(putText(engine, diff))));
  const files: FileLines[] = [];
  while (!packed.done) files.push({ filePath: packed.text(), addedText: packed.text() });
  return files;
}

/** The demand for a check of `files`, listed sorted; a recheck asks for a reply that only says what differs. */
export function buildVerificationFollowUpMessage(files: readonly string[], recheck = false): GateMessage {
  const texts = check.array(files, "files").map((file, index) => check.string(file, `files[${index}]`));
  check.boolean(recheck, "recheck");
  return { role: "user", content: call((engine) => engine.gate_verification_message(putTexts(engine, texts), recheck)) };
}

/** The demand to disclose `suspects`, listed sorted by path. */
export function buildTamperDisclosureMessage(suspects: readonly SuspectMutation[]): GateMessage {
  const texts = check.array(suspects, "suspects").flatMap((item, index) => {
    const suspect = check.object(item, `suspects[${index}]`);
    return [check.string(suspect.filePath, `suspects[${index}].filePath`), check.string(suspect.reason, `suspects[${index}].reason`)];
  });
  return { role: "user", content: call((engine) => engine.gate_tamper_message(putTexts(engine, texts))) };
}
