/**
 * The gate's contract as plainly as it can be written: everything that happened is kept, and every
 * answer is found by going through it again. The package is compared with it on random histories; of
 * the package it uses only the tables that say what a check's own file and a marker are.
 */
import { createHash } from "node:crypto";
import { detectCheckWeakening, isCheckOwnFile } from "agent-evidence/gate";

/** One call, as a host makes it. */
export type Operation =
  | { call: "recordMutation"; args: [path: string, text?: string, options?: { wholeFile?: boolean; before?: string }] }
  | { call: "recordVerification"; args: [revision?: number, command?: string] }
  | { call: "recordFailedVerification"; args: [command: string, revision?: number] }
  | { call: "requireFreshVerification"; args: [invalidateRevision?: boolean, cause?: string] }
  | { call: "recordRejectedCheck"; args: [command: string, reason: string] }
  | { call: "beginRun" | "followUp" | "reset" | "snapshotRestore" | "restoreElsewhere" | "restoreNonsense" | "dispose"; args: [] };

/** What happened: the operation, the sequence number it left, and what it was found to be. */
interface Event {
  operation: Operation;
  seq: number;
  /** A check that counted. */
  counted?: boolean;
  demanded?: "initial" | "recheck" | "tamper";
}

interface Suspect {
  since: number;
  checkFile: boolean;
  markers: string[];
}

const hash = (command = "verification"): string => createHash("sha256").update(command.trim().replace(/\s+/g, " "), "utf8").digest("hex");

/** How often each marker occurs; the texts of the test have at most one a line. */
function markersOf(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of text.split("\n").flatMap((line) => detectCheckWeakening(line))) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** The gate of the contract, section 3. */
export class GateModel {
  /** What a snapshot carried over; the events come after it. */
  #kept = { seq: 0, mutation: 0, verified: 0, unknown: false, files: [] as string[], failed: new Map<string, number>(), suspects: new Map<string, Suspect>(), runVerified: 0, tampers: 0 };
  #events: Event[] = [];

  take(operation: Operation): string | null {
    const { call } = operation;
    if (call === "dispose") return null;
    if (call === "reset" || call === "restoreNonsense") {
      this.#kept = new GateModel().#kept;
      this.#events = [];
      // What cannot be read may have owed anything.
      this.#kept.unknown = call === "restoreNonsense";
    } else if (call === "snapshotRestore" || call === "restoreElsewhere") this.#rest();
    else if (call === "followUp") {
      const demanded = this.pendingReason();
      this.#events.push({ operation, seq: this.seq, ...(demanded && { demanded }) });
      return demanded;
    } else this.#note(operation);
    return null;
  }

  #note(operation: Operation): void {
    const event: Event = { operation, seq: this.seq };
    const takesRevision = operation.call === "recordMutation" || (operation.call === "requireFreshVerification" && operation.args[0] === true);
    if (takesRevision) event.seq += 1;
    if (operation.call === "recordVerification") {
      // A check of older code, or of code that is not there yet, is no event at all.
      if ((operation.args[0] ?? this.revision) !== this.revision) return;
      this.#events.push(event);
      if (this.failures().size === 0) {
        event.counted = true;
        event.seq += 1;
      }
      return;
    }
    if (operation.call === "recordFailedVerification") {
      const revision = Math.min(operation.args[1] ?? this.revision, this.revision);
      event.operation = { call: "recordFailedVerification", args: [operation.args[0], revision] };
    }
    this.#events.push(event);
  }

  /** Debt and suspicion stay, the run and its passes go. */
  #rest(): void {
    const kept = { seq: this.seq, mutation: this.revision, verified: this.#verified, unknown: this.#unknown, files: this.files(), failed: this.failures(), suspects: this.#suspects(), runVerified: 0, tampers: 0 };
    if (kept.suspects.size > 0) {
      kept.runVerified = this.#runVerified;
      kept.tampers = this.#demands("tamper");
    }
    this.#kept = kept;
    this.#events = [];
  }

  get seq(): number {
    return this.#events.at(-1)?.seq ?? this.#kept.seq;
  }

  get revision(): number {
    const last = this.#events.findLast(({ operation }) => takesRevision(operation));
    return last?.seq ?? this.#kept.mutation;
  }

  get #verified(): number {
    return this.#events.findLast((event) => event.counted)?.seq ?? this.#kept.verified;
  }

  /** Events after the last check that counted. */
  #since(): Event[] {
    return this.#events.slice(this.#events.findLastIndex((event) => event.counted) + 1);
  }

  get #hasCounted(): boolean {
    return this.#events.some((event) => event.counted);
  }

  get #unknown(): boolean {
    return (this.#kept.unknown && !this.#hasCounted) || this.#since().some(({ operation }) => operation.call === "requireFreshVerification");
  }

  files(): string[] {
    const changed = this.#since().flatMap(({ operation }) => (operation.call === "recordMutation" ? [operation.args[0]] : []));
    return [...new Set([...(this.#hasCounted ? [] : this.#kept.files), ...changed])];
  }

  /** The commands whose failure stands, with its revision. */
  failures(): Map<string, number> {
    const failed = new Map(this.#kept.failed);
    let revision = this.#kept.mutation;
    let passed = new Set<string>();
    for (const { operation, seq } of this.#events) {
      if (takesRevision(operation)) {
        revision = seq;
        passed = new Set();
      } else if (operation.call === "recordVerification") {
        const command = hash(operation.args[1]);
        passed.add(command);
        for (const [other, at] of failed) if (other === command || at < revision) failed.delete(other);
      } else if (operation.call === "recordFailedVerification") {
        const [command, at] = [hash(operation.args[0]), operation.args[1] as number];
        if (!(passed.has(command) && revision > at)) failed.set(command, Math.max(at, failed.get(command) ?? 0));
      }
    }
    return failed;
  }

  isOwed(): boolean {
    return this.#unknown || this.failures().size > 0 || this.revision > this.#verified;
  }

  problem(): "failed" | "missing" | null {
    return this.isOwed() ? (this.failures().size > 0 ? "failed" : "missing") : null;
  }

  /** Events of this run. */
  #run(): Event[] {
    return this.#events.slice(this.#events.findLastIndex(({ operation }) => operation.call === "beginRun") + 1);
  }

  get #isFirstRun(): boolean {
    return !this.#events.some(({ operation }) => operation.call === "beginRun");
  }

  get #runVerified(): number {
    return this.#run().findLast((event) => event.counted)?.seq ?? (this.#isFirstRun ? this.#kept.runVerified : 0);
  }

  #demands(...kinds: string[]): number {
    const before = this.#isFirstRun && kinds.includes("tamper") ? this.#kept.tampers : 0;
    return before + this.#run().filter(({ demanded }) => demanded !== undefined && kinds.includes(demanded)).length;
  }

  #suspects(): Map<string, Suspect> {
    const suspects = new Map([...(this.#isFirstRun ? this.#kept.suspects : [])].map(([path, suspect]) => [path, { ...suspect, markers: [...suspect.markers] }]));
    for (const { operation, seq } of this.#run()) {
      if (operation.call !== "recordMutation") continue;
      const [path, text = "", { wholeFile = false, before = "" } = {}] = operation.args;
      const [found, had] = [markersOf(text), wholeFile ? markersOf(before) : new Map<string, number>()];
      const added = [...found].filter(([name, count]) => count > (had.get(name) ?? 0)).map(([name]) => name);
      const known = suspects.get(path);
      const stay = (known?.markers ?? []).filter((name) => !wholeFile || found.has(name));
      const suspect = { since: known?.since ?? seq, checkFile: isCheckOwnFile(path), markers: [...new Set([...stay, ...added])] };
      if (suspect.checkFile || suspect.markers.length > 0) suspects.set(path, suspect);
      else suspects.delete(path);
    }
    return suspects;
  }

  suspectPaths(): string[] {
    // In the order of their bytes, which is not that of UTF-16.
    return [...this.#suspects().keys()].sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
  }

  isTamperOwed(): boolean {
    return [...this.#suspects().values()].some(({ since }) => since < this.#runVerified);
  }

  pendingReason(): "initial" | "recheck" | "tamper" | null {
    const changes = this.#run().filter(({ operation }) => takesRevision(operation));
    const changedAgain = this.#verified > 0 && this.revision > this.#verified;
    if (this.isOwed() && changes.length > 0) {
      const demands = this.#run().filter(({ demanded }) => demanded === "initial" || demanded === "recheck");
      if (demands.length === 0) return changedAgain ? "recheck" : "initial";
      const wasMet = this.#verified > this.#revisionAt(demands.at(-1) as Event);
      if (changedAgain && wasMet && this.#demands("recheck") === 0) return "recheck";
    }
    return this.isTamperOwed() && this.#demands("tamper") === 0 ? "tamper" : null;
  }

  #revisionAt(event: Event): number {
    const before = this.#events.slice(0, this.#events.indexOf(event));
    return before.findLast(({ operation }) => takesRevision(operation))?.seq ?? this.#kept.mutation;
  }

  /** What the next demand explains: told since the last demand for a check, the last one that counted, and the run's begin. */
  #untold(): Event[] {
    const run = this.#run();
    return run.slice(run.findLastIndex(({ counted, demanded }) => counted || demanded === "initial" || demanded === "recheck") + 1);
  }

  rejected(): { command: string; reason: string }[] {
    const all = this.#untold().flatMap(({ operation }) => (operation.call === "recordRejectedCheck" ? [{ command: operation.args[0], reason: operation.args[1] }] : []));
    // Said again it counts as said last.
    return all.filter((one, index) => !all.slice(index + 1).some((other) => other.command === one.command && other.reason === one.reason));
  }

  cause(): string | null {
    const causes = this.#untold().flatMap(({ operation }) => (operation.call === "requireFreshVerification" && operation.args[1] !== undefined ? [operation.args[1]] : []));
    return causes.at(-1) ?? null;
  }

  /** The fields of `snapshot()` that every snapshot has, failures in the order of their hashes. */
  snapshot(): object {
    const failedChecks = [...this.failures()].map(([command, at]) => (at === 0 ? command : `${command}@${at}`)).sort();
    return { version: 1, seq: this.seq, mutation: this.revision, verified: this.#verified, files: this.files(), failedChecks, unknown: this.#unknown };
  }
}

function takesRevision(operation: Operation): boolean {
  return operation.call === "recordMutation" || (operation.call === "requireFreshVerification" && operation.args[0] === true);
}
