/**
 * The ledger's contract as plainly as it can be written: every body is built, nothing is measured
 * beforehand. The package is compared with it on random conversations; nothing is shared with it.
 */
import { createHash } from "node:crypto";
import type { Message, ToolCall } from "agent-evidence/ledger";

type Input = Record<string, unknown>;

/** One operation: a replacement, or an insertion after a line. */
type Operation = { readonly old: string; readonly all: boolean; readonly added: string } | { readonly line: number | "end"; readonly added: string };

interface Held {
  readonly path: string;
  readonly write: string;
  readonly edits: readonly string[];
  readonly bodies: readonly string[];
  /** The charge for a newest body that nothing has looked at. */
  unseen: number;
}

export interface ModelLimits {
  readonly maxEditCalls: number;
  readonly maxReplayedUnits: number;
  readonly maxWitnessedPaths: number;
}

/** What the model expects of one conversation, in the shape of the vectors. */
export interface Expected {
  readonly report: { pathsWitnessed: number; pathsSeen: number; unitsReplayed: number };
  readonly ledger: Record<string, object>;
  readonly evidence: readonly object[];
  readonly observedPaths: readonly string[];
}

const wellFormed = (text: string): boolean => (text as string & { isWellFormed(): boolean }).isWellFormed();
const fingerprint = (text: string): string => createHash("sha256").update(text, "utf8").digest("hex").slice(0, 16);
const onlyKeys = (input: Input, keys: readonly string[]): boolean => Object.keys(input).every((key) => keys.includes(key));

function endingOf(body: string): string | undefined {
  const feeds = body.split("\n").length - 1;
  const pairs = body.split("\r\n").length - 1;
  if (feeds === 0) return undefined;
  return pairs === feeds ? "\r\n" : pairs === 0 ? "\n" : undefined;
}

function inEnding(text: string, ending: string | undefined): string {
  return ending === undefined ? text : text.replaceAll("\r\n", "\n").replaceAll("\n", ending);
}

function apply(body: string, operation: Operation): string | undefined {
  const ending = endingOf(body);
  const added = inEnding(operation.added, ending);
  if ("old" in operation) {
    const old = inEnding(operation.old, ending);
    const at = body.indexOf(old);
    if (at < 0) return undefined;
    if (operation.all) return body.split(old).join(added);
    return body.indexOf(old, at + 1) < 0 ? body.slice(0, at) + added + body.slice(at + old.length) : undefined;
  }
  if (body === "") return added;
  const separator = ending ?? "\n";
  const lines = body.split("\n");
  const isClosed = lines.at(-1) === "";
  if (isClosed) lines.pop();
  const at = operation.line === "end" ? lines.length : Math.min(operation.line, lines.length);
  if (at === lines.length && !isClosed) return body + separator + added.replace(/\r?\n$/, "");
  const head = lines.slice(0, at).map((line) => `${line}\n`).join("");
  return head + (added.endsWith("\n") ? added : added + separator) + body.slice(head.length);
}

/** The text under the one of two spellings that is there. */
function textOf(input: Input, long: string, short: string): string | undefined {
  const given = [long, short].filter((key) => Object.hasOwn(input, key));
  const text = given.length === 1 ? input[given[0] as string] : undefined;
  return typeof text === "string" ? text : undefined;
}

function replacementOf(input: Input): Operation | undefined {
  const [old, added] = [textOf(input, "old_string", "oldStr"), textOf(input, "new_string", "newStr")];
  const all = Object.hasOwn(input, "replace_all") ? input["replace_all"] : false;
  return old === undefined || old === "" || added === undefined || typeof all !== "boolean" ? undefined : { old, all, added };
}

const REPLACEMENT = ["old_string", "oldStr", "new_string", "newStr", "replace_all"];

function operationsOf({ path: _, ...input }: Input): Operation[] | undefined {
  const all = (operations: (Operation | undefined)[]): Operation[] | undefined => (operations.includes(undefined) ? undefined : (operations as Operation[]));
  if (Object.hasOwn(input, "edits")) {
    const { edits } = input;
    if (!onlyKeys(input, ["edits"]) || !Array.isArray(edits) || edits.length === 0) return undefined;
    return all(edits.map((item: unknown) => (typeof item === "object" && item !== null && onlyKeys(item as Input, REPLACEMENT) ? replacementOf(item as Input) : undefined)));
  }
  if (Object.hasOwn(input, "insertLine")) {
    const added = textOf(input, "new_string", "newStr");
    const { insertLine } = input;
    const isEnd = typeof insertLine === "string" && /^(end|eof|append|last|end_of_file|end-of-file)$/i.test(insertLine);
    const line = isEnd ? "end" : Number.isInteger(insertLine) && (insertLine as number) >= 0 ? (insertLine as number) : undefined;
    return !onlyKeys(input, ["insertLine", "new_string", "newStr"]) || added === undefined || line === undefined ? undefined : [{ line, added }];
  }
  return onlyKeys(input, REPLACEMENT) ? all([replacementOf(input)]) : undefined;
}

export function renderModel(text: string, offset = 0, limit = 2_000): string {
  const lines = text.split("\n");
  const shown = lines.slice(offset, offset + limit);
  const last = offset + shown.length;
  const notice = shown.length < lines.length ? `\n\n[PARTIAL view — lines ${offset + 1}-${last} of ${lines.length}.\nContinue with read({ offset: ${last}, limit: N }), or narrow with grep.]` : "";
  return shown.map((line, index) => `${offset + index + 1}\t${line}`).join("\n") + notice;
}

function inputOf({ function: { arguments: json } }: ToolCall): Input | undefined {
  if (typeof json !== "string" || json.length > 1_048_576) return undefined;
  try {
    const input: unknown = JSON.parse(json);
    return typeof input === "object" && input !== null && !Array.isArray(input) ? (input as Input) : undefined;
  } catch {
    return undefined;
  }
}

function pathOf(toolCall: ToolCall): string | undefined {
  const path = inputOf(toolCall)?.["path"];
  return typeof path === "string" && path !== "" && wellFormed(path) ? path : undefined;
}

/** What the contract says of `messages`. */
export function modelLedger(messages: readonly Message[], keyOf: (path: string) => string, limits: ModelLimits): Expected {
  const calls: { toolCall: ToolCall; at: number }[] = [];
  const claims = new Map<string, number>();
  const answers = new Map<string, { message: Message; at: number }[]>();
  for (const [at, message] of messages.entries()) {
    for (const toolCall of message.role === "assistant" ? (message.toolCalls ?? []) : []) {
      calls.push({ toolCall, at });
      claims.set(toolCall.id, (claims.get(toolCall.id) ?? 0) + 1);
    }
    if (message.role === "tool") answers.set(message.toolCallId as string, [...(answers.get(message.toolCallId as string) ?? []), { message, at }]);
  }
  const files = calls.map(({ toolCall }) => toolCall).filter(({ function: { name } }) => ["write", "edit", "read"].includes(name));
  const isMutating = files.some(({ function: { name } }) => name !== "read");
  const observedPaths = isMutating ? [...new Set(files.map(pathOf).filter((path) => path !== undefined))] : [];

  let [spent, refundable] = [0, 0];
  const spend = (units: number): boolean => {
    if (spent + units > limits.maxReplayedUnits) [spent, refundable] = [spent - refundable, 0];
    if (spent + units > limits.maxReplayedUnits) return false;
    spent += units;
    return true;
  };
  const mutated = new Set<string>();
  const held = new Map<string, Held>();
  const drop = (key: string): void => {
    refundable += held.get(key)?.unseen ?? 0;
    held.delete(key);
  };
  const stopped = (): Expected => ({ report: { pathsWitnessed: 0, pathsSeen: 0, unitsReplayed: spent }, ledger: {}, evidence: [], observedPaths });

  for (const { toolCall, at } of calls) {
    const { id, function: { name, arguments: json } } = toolCall;
    if (!files.includes(toolCall)) continue;
    const [input, path] = [inputOf(toolCall), pathOf(toolCall)];
    const receipts = answers.get(id) ?? [];
    const isClaimedTwice = (claims.get(id) ?? 0) > 1;
    if (receipts.length > 1) return stopped();
    const receipt = receipts.find((answer) => answer.at > at)?.message;
    const content = receipt?.content;
    const isBelieved = typeof content === "string" && !receipt?.isError && !content.startsWith("[tool output cleared]") && !/^Tool [^ ]* skipped by plugin: /.test(content) && toolCall.metadata?.inputTruncated !== true && json.length <= 32_000 && id.length <= 256;
    if (name === "read") {
      const isAmbiguous = isClaimedTwice && receipts.length > 0;
      if (!isAmbiguous && (receipt === undefined || receipt.isError)) continue;
      if (path === undefined) return stopped();
      const known = held.get(keyOf(path));
      if (known === undefined) continue;
      let isConfirmed = false;
      if (!isAmbiguous && isBelieved && isReadShape(input as Input)) {
        known.unseen = 0;
        const body = known.bodies.at(-1) as string;
        const renderings = [renderModel(body, 0, Infinity), renderModel(body)];
        isConfirmed = renderings.some(({ length }) => length === content.length) && spend(content.length) && renderings.includes(content);
      }
      if (!isConfirmed) drop(keyOf(path));
      continue;
    }
    if (path === undefined || isClaimedTwice) return stopped();
    const key = keyOf(path);
    mutated.add(key);
    let next: Held | undefined;
    if (isBelieved && name === "write") {
      const body = textOf(input as Input, "content", "newStr");
      if (body !== undefined && onlyKeys(input as Input, ["path", "content", "newStr"]) && path.length <= 512 && wellFormed(body) && wellFormed(json)) {
        drop(key);
        if (spend(body.length)) next = { path, write: id, edits: [], bodies: [body], unseen: body.length };
      }
    } else if (isBelieved) {
      const [operations, known] = [operationsOf(input as Input), held.get(key)];
      const isExact = operations?.every((operation) => wellFormed(operation.added) && (!("old" in operation) || wellFormed(operation.old))) && wellFormed(json);
      if (operations && isExact && known && known.edits.length < limits.maxEditCalls) {
        known.unseen = 0;
        let body: string | undefined = known.bodies.at(-1) as string;
        let charge = 0;
        for (const operation of operations) {
          const result: string | undefined = body === undefined ? undefined : apply(body, operation);
          const more = Math.max(0, (result ?? "").length - charge);
          body = result !== undefined && spend(more) ? result : undefined;
          if (body === undefined) break;
          charge += more;
        }
        if (body !== undefined) next = { ...known, edits: [...known.edits, id], bodies: [...known.bodies, body], unseen: operations.length === 1 ? charge : 0 };
      }
    }
    if (next) held.delete(key);
    else drop(key);
    if (next) held.set(key, next);
    if (held.size > limits.maxWitnessedPaths) drop(held.keys().next().value as string);
  }
  const ledger: Record<string, object> = {};
  const evidence: object[] = [];
  for (const [key, { path, write, edits, bodies }] of held) {
    const observedFingerprint = fingerprint(bodies.at(-1) as string);
    const chain = edits.length > 0 ? { editChain: { rootWriteCallId: write, editCallIds: edits } } : { writeCallId: write };
    ledger[key] = { hasRead: true, fingerprint: observedFingerprint, ...chain };
    evidence.push({ path, bodyInCall: write, ...(edits.length > 0 && { editsInCalls: edits }), observedFingerprint });
  }
  return { report: { pathsWitnessed: held.size, pathsSeen: mutated.size - held.size, unitsReplayed: spent }, ledger, evidence: evidence.slice(-6), observedPaths };
}

function isReadShape(input: Input): boolean {
  const isCount = (value: unknown): boolean => value === undefined || Number.isInteger(value);
  const range = input["readRange"];
  return onlyKeys(input, ["path", "readRange", "offset", "limit"]) && isCount(input["offset"]) && isCount(input["limit"]) && (range === undefined || (Array.isArray(range) && range.length === 2 && range.every(Number.isInteger)));
}
