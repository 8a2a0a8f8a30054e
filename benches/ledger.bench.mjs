// Replaying a conversation against a plain JavaScript replay: parse, validate, apply with string operations.
import { createHash } from "node:crypto";
import { posix } from "node:path";
import { createFileReadTracker, lexicalFileKeys, replayObservationLedger } from "agent-evidence";
import { median, ratio } from "./measure.mjs";

const LIMITS = { maxReplayedUnits: 0xfffffff0 };

/** `count` calls with receipts: chains of one write and eight edits, half of them on CRLF files. */
function conversation(count, bodyUnits) {
  const messages = [];
  const push = (name, input) => {
    const id = `call_${messages.length}`;
    messages.push({ role: "assistant", content: null, toolCalls: [{ id, type: "function", function: { name, arguments: JSON.stringify(input) } }] });
    messages.push({ role: "tool", toolCallId: id, content: `${name} done`, isError: false });
  };
  for (let chain = 0; messages.length < 2 * count; chain += 1) {
    const path = `src/module-${chain}/file.ts`;
    const ending = chain % 2 === 0 ? "\r\n" : "\n";
    let body = "";
    for (let line = 0; body.length < bodyUnits; line += 1) body += `  const value${line} = compute("${chain}-${line}"); // é 漢${ending}`;
    push("write", { path, content: body });
    for (let hop = 0; hop < 8 && messages.length < 2 * count; hop += 1) {
      if (hop % 4 === 3) push("edit", { path, insertLine: 10 * hop, new_string: `  // note ${hop}\n` });
      else push("edit", { path, old_string: `  const value${hop} = compute("${chain}-${hop}"); // é 漢\n`, new_string: `  const value${hop} = computeBetter("${chain}", ${hop}); // é 漢\n` });
    }
  }
  return messages;
}

const WRITE_KEYS = new Set(["path", "content", "newStr"]);
const EDIT_KEYS = new Set(["path", "old_string", "oldStr", "new_string", "newStr", "replace_all", "insertLine", "edits"]);

function endingOf(text) {
  const feeds = text.split("\n").length - 1;
  const pairs = text.split("\r\n").length - 1;
  return feeds === 0 ? undefined : pairs === feeds ? "\r\n" : pairs === 0 ? "\n" : undefined;
}

function inEnding(text, ending) {
  if (ending === undefined) return text;
  const plain = text.replaceAll("\r\n", "\n");
  return ending === "\n" ? plain : plain.replaceAll("\n", "\r\n");
}

function plainEdit(body, input) {
  const ending = endingOf(body);
  const added = inEnding(input.new_string ?? input.newStr, ending);
  if (input.insertLine !== undefined) {
    let at = 0;
    for (let line = 0; line < input.insertLine; line += 1) {
      const feed = body.indexOf("\n", at);
      if (feed < 0) break;
      at = feed + 1;
    }
    return body.slice(0, at) + added + body.slice(at);
  }
  const old = inEnding(input.old_string ?? input.oldStr, ending);
  const at = body.indexOf(old);
  if (at < 0 || body.indexOf(old, at + 1) >= 0) return undefined;
  return body.slice(0, at) + added + body.slice(at + old.length);
}

function plainReplay(messages, directory) {
  const [calls, results] = [new Map(), new Map()];
  for (const message of messages) {
    for (const call of message.toolCalls ?? []) calls.set(call.id, calls.has(call.id) ? null : call);
    if (message.role === "tool") results.set(message.toolCallId, results.has(message.toolCallId) ? null : message);
  }
  const held = new Map();
  let units = 0;
  for (const [id, call] of calls) {
    const receipt = results.get(id);
    const { name, arguments: json } = call.function;
    if (json.length > 32_000 || !receipt || receipt.isError || receipt.content.startsWith("[tool output cleared]")) continue;
    const input = JSON.parse(json);
    const known = name === "write" ? WRITE_KEYS : EDIT_KEYS;
    if (!Object.keys(input).every((key) => known.has(key))) continue;
    const key = posix.resolve(directory, input.path);
    const before = held.get(key);
    held.delete(key);
    if (name === "write") {
      held.set(key, { body: input.content ?? input.newStr, hops: [] });
      units += held.get(key).body.length;
    } else if (before && before.hops.length < 8) {
      const body = plainEdit(before.body, input);
      if (body === undefined) continue;
      units += body.length;
      held.set(key, { body, hops: [...before.hops, body] });
    }
    if (held.size > 6) held.delete(held.keys().next().value);
  }
  const fingerprints = new Map();
  for (const [key, { body, hops }] of held) {
    for (const text of [body, ...hops]) fingerprints.set(key, createHash("sha256").update(text, "utf8").digest("hex").slice(0, 16));
  }
  return { pathsWitnessed: held.size, unitsReplayed: units };
}

const units = (messages) => messages.reduce((sum, message) => sum + (message.toolCalls?.[0].function.arguments.length ?? message.content.length), 0);
const keys = lexicalFileKeys("/repo", false);
const replay = (messages) => replayObservationLedger(messages, createFileReadTracker(), keys, undefined, LIMITS);

function check(messages) {
  const [ours, plain] = [replay(messages), plainReplay(messages, "/repo")];
  if (ours.unitsReplayed !== plain.unitsReplayed || ours.pathsWitnessed !== plain.pathsWitnessed) {
    throw new Error(`the two replays disagree: ${JSON.stringify([ours, plain])}`);
  }
  return messages;
}

export const cases = [
  {
    name: "ledger: replay 5 MB, 2,000 calls, half CRLF, chains of 8",
    target: 0.5,
    run: async () => {
      const messages = check(conversation(2_000, 20_500));
      const answer = await ratio(() => replay(messages), () => plainReplay(messages, "/repo"));
      return { ...answer, note: `${answer.note}; ${(units(messages) / 1e6).toFixed(1)} M units` };
    },
  },
  {
    name: "ledger: 50 MB against ten times 5 MB (1 is linear)",
    target: 1.3,
    run: () => {
      const timed = (messages) => {
        const times = Array.from({ length: 5 }, () => {
          const started = performance.now();
          replay(messages);
          return performance.now() - started;
        });
        return median(times);
      };
      const [small, large] = [timed(conversation(2_000, 20_500)), timed(conversation(20_000, 20_500))];
      return { ratio: large / (10 * small), note: `${large.toFixed(1)} ms against 10 x ${small.toFixed(1)} ms` };
    },
  },
];
