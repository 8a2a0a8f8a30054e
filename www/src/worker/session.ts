/** What a conversation can vouch for, file by file, and the calls that made it so. */
import { explainLedger, lexicalFileKeys, replayObservationLedger, createFileReadTracker, type LedgerReason, type LedgerStep, type LedgerStopReason, type Message } from "agent-evidence";

export interface SessionFile {
  path: string;
  /** Absent when the file was withdrawn. */
  body?: string;
  /** Why it was withdrawn. */
  reason?: string;
  /** The lines that the last edit left, from 1, inclusive. */
  lastEdit?: [first: number, last: number];
  /** A shell command ran since the body was last known to be right. */
  shellSince: boolean;
}

export interface SessionEvent {
  path: string;
  /** The tool, and what its call did to what is known of the file. */
  tool: string;
  did: string;
  callId: string;
  /** What the receipt said, shortened. */
  receipt: string;
  outcome: "verified" | "corrected" | "unverified" | "unchecked";
  note: string;
}

export interface SessionReading {
  files: SessionFile[];
  events: SessionEvent[];
  /** Why nothing at all was established. */
  stopped?: string;
}

const SHELLS = ["bash", "shell", "exec", "execute", "run", "terminal", "run_command", "task", "agent"];
/** A visitor wants to see every file, not only what fits beside a model call. */
const LIMITS = { maxWitnessedPaths: 10_000, maxReplayedUnits: 64 * 1024 * 1024, maxEditCalls: 1_000 };

const WHY: Record<LedgerReason, string> = {
  "ambiguous-match": "the old text is in the file more than once",
  "arguments-cut": "the call was cut before it was saved",
  "arguments-too-long": "the call's arguments are too long to be believed",
  "chain-too-long": "too many edits stand on one another",
  evicted: "newer files took the room",
  "id-too-long": "the call's id is too long",
  "lone-surrogate": "a text holds half a character",
  "malformed-arguments": "the call's arguments have no known shape",
  "no-body": "it was edited before its body was known",
  "no-match": "the old text is not in the body",
  "over-budget": "the text would not fit the pass",
  "path-too-long": "the path is too long",
  "read-ambiguous": "a read's id is claimed or answered twice",
  "read-differs": "a read showed something else than the body, or not all of it",
  "receipt-cleared": "the receipt was cleared to save room",
  "receipt-not-text": "the receipt is no text",
  refused: "the tool refused or failed",
  "skipped-by-plugin": "a plugin skipped the call",
  unanswered: "the call has no receipt",
};

const STOPPED: Record<LedgerStopReason, string> = {
  "answered-twice": "is answered more than once",
  "claimed-twice": "has an id that another call claims too",
  "no-key": "names a path that belongs to no file",
  "no-path": "names no path",
};

const DID: Record<LedgerStep["action"], { did: string; outcome: SessionEvent["outcome"] }> = {
  held: { did: "body held", outcome: "verified" },
  edited: { did: "edit applied", outcome: "verified" },
  confirmed: { did: "body confirmed", outcome: "verified" },
  ignored: { did: "nothing to hold", outcome: "unchecked" },
  withdrawn: { did: "body withdrawn", outcome: "unverified" },
  "shell-ran": { did: "may have changed it", outcome: "corrected" },
};

const DIRECTORY = "/session";
const RECEIPT_UNITS = 120;

export function readSession({ messages }: { messages: Message[] }): SessionReading {
  const keyOf = lexicalFileKeys(DIRECTORY, false);
  const options = { ...LIMITS, shellCalls: SHELLS };
  const account = explainLedger(messages, keyOf, options);
  const bodies = bodiesOf(messages);
  const shells = new Set(account.shellSince?.map(({ key }) => key));
  const receipts = new Map(messages.filter(({ role }) => role === "tool").map((message) => [message.toolCallId, message.content]));

  const files = account.paths.map(({ key, paths, outcome, reason }): SessionFile => {
    const file: SessionFile = { path: shown(key, paths), shellSince: shells.has(key) };
    const known = bodies.get(key);
    if (outcome === "witnessed" && known) {
      file.body = known.now;
      if (known.before !== undefined) file.lastEdit = changedLines(known.before, known.now);
    } else file.reason = reason ? WHY[reason] : "nothing could be established";
    return file;
  });
  const steps = account.paths.flatMap(({ key, paths, steps }) => steps.map((step) => ({ path: shown(key, paths), step })));
  const events = steps
    .sort((a, b) => a.step.messageIndex - b.step.messageIndex)
    .map(({ path, step: { tool, callId, action, reason } }): SessionEvent => {
      const receipt = receipts.get(callId);
      return { path, tool, callId, ...DID[action], note: reason ? WHY[reason] : "", receipt: typeof receipt === "string" ? shorten(receipt) : "no receipt" };
    });
  const { stopped } = account;
  return { files, events, ...(stopped ? { stopped: `Call ${stopped.callId} ${STOPPED[stopped.reason]}: nothing in this conversation can be vouched for.` } : {}) };

  /** What the pass would write to a tracker: the body now, and before its last edit. */
  function bodiesOf(messages: Message[]): Map<string, { now: string; before?: string }> {
    const bodies = new Map<string, { now: string; before?: string }>();
    const tracker = {
      ...createFileReadTracker(),
      recordRead: (key: string, now?: string) => void (now !== undefined && bodies.set(key, { now })),
      recordEdit: (key: string, now: string) => void bodies.set(key, { now, before: bodies.get(key)?.now ?? "" }),
    };
    replayObservationLedger(messages, tracker, keyOf, undefined, options);
    return bodies;
  }
}

function shown(key: string, paths: readonly string[]): string {
  return key.startsWith(`${DIRECTORY}/`) ? key.slice(DIRECTORY.length + 1) : (paths[0] ?? key);
}

function shorten(receipt: string): string {
  const [first = ""] = receipt.split("\n", 1);
  return first.length < receipt.length || first.length > RECEIPT_UNITS ? `${first.slice(0, RECEIPT_UNITS)}…` : first;
}

/** The lines of `now` between the start and the end that it shares with `before`. */
function changedLines(before: string, now: string): [first: number, last: number] {
  const [old, lines] = [before.split("\n"), now.split("\n")];
  const room = Math.min(old.length, lines.length);
  let start = 0;
  while (start < room && old[start] === lines[start]) start += 1;
  let end = 0;
  while (end < room - start && old[old.length - 1 - end] === lines[lines.length - 1 - end]) end += 1;
  return [start + 1, Math.max(start + 1, lines.length - end)];
}
