/** Random conversations, judged by the package and by the plain model of the contract. */
import { expect, test } from "vitest";
import { applyEdit, collectObservedPaths, createFileReadTracker, lexicalFileKeys, renderNumberedRead, replayObservationLedger, visibleFileEvidence, type Message } from "agent-evidence/ledger";
import { modelLedger, renderModel } from "../support/ledger-model.js";
import { Random } from "../support/random.js";

const keyOf = lexicalFileKeys("/repo", false) as (path: string) => string;

const SPELLINGS = [["a.txt", "./a.txt", "/repo/a.txt"], ["dir/b.ts", "dir/../dir/b.ts"], ["é漢.md"], ["..hidden"], ["c"], ["d"], ["e"], ["f"]];
const WORDS = ["a", "aa", "alpha", "é", "漢字", "😀", " ", "\t", "\\", "\"", "\u0000", "\u2028", "x".repeat(40)];

function textFrom(random: Random, most: number, ending: string): string {
  let text = random.once(20) ? "\uFEFF" : "";
  for (let left = random.below(most + 1); left > 0; left -= 1) {
    text += random.once(3) ? (ending === "mixed" ? random.of(["\n", "\r\n", "\r"]) : ending) : random.of(WORDS);
  }
  return text;
}

/** A piece of `body`, mostly; cut anywhere, so also between the units of an ending. */
function pieceOf(random: Random, body: string): string {
  if (random.once(8)) return random.of(WORDS);
  const start = random.below(body.length + 1);
  const piece = body.slice(start, start + 1 + random.below(random.once(3) ? 60 : 6));
  return random.once(3) ? piece.replaceAll("\r\n", "\n") : piece;
}

/** A conversation as a session of eight files might leave it, and what may befall it afterwards. */
function conversation(random: Random): Message[] {
  const messages: Message[] = [];
  const disk = new Map<number, string>();
  const endings = SPELLINGS.map(() => random.of(["\n", "\n", "\r\n", "\r\n", "mixed"]));
  const files = random.once(3) ? SPELLINGS.length : 3;
  const steps = 2 + random.below(random.once(4) ? 40 : 12);
  const dangers = random.once(2) ? 12 : 200;
  for (let step = 0; step < steps; step += 1) {
    const file = random.below(files);
    const ending = endings[file] as string;
    const path = random.of(SPELLINGS[file] as string[]);
    const body = disk.get(file);
    let [name, input, content]: [string, Record<string, unknown>, unknown] = ["bash", { command: "make" }, "done"];
    let isError = false;
    const kind = random.below(10);
    if (body === undefined || kind < 2) {
      const written = textFrom(random, random.once(30) ? 3_000 : 30, ending);
      [name, input] = ["write", { path, [random.once(4) ? "newStr" : "content"]: written }];
      disk.set(file, written);
    } else if (kind < 7) {
      const added = (): string => textFrom(random, 6, random.once(4) ? "\n" : ending);
      const [old, fresh] = random.once(5) ? ["oldStr", "newStr"] : ["old_string", "new_string"];
      const replacement = (text: string): Record<string, unknown> => ({ [old]: pieceOf(random, text), [fresh]: added(), ...(random.once(3) && { replace_all: random.once(2) }) });
      if (random.once(3)) {
        input = { insertLine: random.once(3) ? random.of(["end", "EOF", "Append", "last", "end_of_file", "End-Of-File", "start"]) : random.of([0, 1, 2, 3, 1e9, -1, 1.5]), [fresh]: added() + (random.once(2) ? "\n" : "") };
      } else if (random.once(3)) {
        const edits: Record<string, unknown>[] = [];
        let between: string | undefined = body;
        for (let left = 1 + random.below(3); left > 0 && between !== undefined; left -= 1) {
          edits.push(replacement(between));
          between = applyEdit(between, edits.at(-1));
        }
        input = { edits };
      } else {
        input = replacement(body);
      }
      const result = applyEdit(body, input);
      if (result === undefined) isError = !random.once(10);
      else disk.set(file, result);
      [name, input] = ["edit", { path, ...input }];
    } else if (kind < 9) {
      const [offset, limit] = random.once(3) ? [random.below(4), 1 + random.below(4)] : [undefined, undefined];
      input = { path, ...(offset !== undefined && { offset, limit }), ...(random.once(9) && { readRange: [1, 2] }) };
      content = renderModel(body, offset, limit);
      if (random.once(6)) content = (content as string).replace(/[aé漢]/, "b");
      name = "read";
    }
    // What goes wrong between the call and the ledger.
    let json = JSON.stringify(input);
    let id = `c${step}`;
    const danger = random.below(dangers);
    if (danger === 0) isError = true;
    if (danger === 1) content = random.of(["[tool output cleared]", "[tool output cleared] to save room", " [tool output cleared]", `Tool ${name} skipped by plugin: no`, "Tool skipped by plugin: no", [{ type: "text", text: "done" }], null]);
    if (danger === 2) json = random.of([`${json} `, json.slice(0, -1), json.replace("{", '{"extra":1,'), json.replace("}", ',"path":"c"}'), json.replace(/"path":"[^"]*",?/, ""), json.replace("path", "p\\u0061th"), `{"path":"a.txt","content":"\\ud83d"}`, `{"path":"a.txt","content":"\ude00"}`]);
    if (danger === 3) id = random.once(2) ? `c${random.below(step + 1)}` : "i".repeat(256 + random.below(2));
    if (danger === 4) json = json.replace("}", `,"limit":${random.of(["1.0", "1e3", "-0", "01", "1.5", "\"1\""])}}`);
    const metadata = danger === 5 ? { inputTruncated: random.once(2) } : undefined;
    const call: Message = { role: "assistant", content: null, toolCalls: [{ id, type: "function", function: { name, arguments: json }, ...(metadata && { metadata }) }] };
    const answer: Message = { role: "tool", toolCallId: id, content, isError };
    if (danger === 6) messages.push(call);
    else if (danger === 7) messages.push(answer, call);
    else if (danger === 8) messages.push(call, answer, { ...answer });
    else messages.push(call, answer);
  }
  return messages;
}

function ledgerOf(messages: Message[], paths: readonly string[], options: object) {
  const tracker = createFileReadTracker();
  const report = replayObservationLedger(messages, tracker, keyOf, undefined, options);
  const ledger: Record<string, object> = {};
  for (const key of paths.map(keyOf)) {
    if (!tracker.hasRead(key)) continue;
    const [writeCallId, editChain] = [tracker.writeCallId(key), tracker.editChain(key)];
    ledger[key] = { hasRead: true, fingerprint: tracker.fingerprint(key), ...(writeCallId && { writeCallId }), ...(editChain && { editChain }) };
  }
  return { tracker, report, ledger };
}

test("4,000 random conversations are judged as the model judges them, every time they are replayed", () => {
  const random = new Random(20_261_201);
  const seen = { witnessed: 0, chains: 0, stopped: 0, over: 0 };
  for (let round = 0; round < 4_000; round += 1) {
    const messages = conversation(random);
    const limits = random.once(4)
      ? { maxEditCalls: random.below(4), maxReplayedUnits: random.below(400), maxWitnessedPaths: random.below(4) }
      : { maxEditCalls: 8, maxReplayedUnits: 262_144, maxWitnessedPaths: 6 };
    const expected = modelLedger(messages, keyOf, limits);
    const paths = collectObservedPaths(messages);
    const { tracker, report, ledger } = ledgerOf(messages, paths, limits);
    const evidence = visibleFileEvidence(messages, tracker, "/repo", false);
    expect({ report, ledger, evidence: limits.maxEditCalls === 8 ? evidence : expected.evidence, observedPaths: paths }, `round ${round}: ${JSON.stringify(messages)}`).toEqual(expected);
    expect(ledgerOf(messages, paths, limits).ledger).toEqual(ledger);
    seen.witnessed += report.pathsWitnessed;
    seen.chains += evidence.filter(({ editsInCalls }) => editsInCalls).length;
    seen.stopped += report.pathsSeen === 0 && report.pathsWitnessed === 0 ? 1 : 0;
    seen.over += report.unitsReplayed > 300 ? 1 : 0;
  }
  // The generator is worth its time only while it reaches every kind of end.
  expect(Math.min(seen.witnessed, seen.chains, seen.stopped, seen.over), JSON.stringify(seen)).toBeGreaterThan(200);
});

test("renderings are the model's, in every window", () => {
  const random = new Random(7);
  for (let round = 0; round < 2_000; round += 1) {
    const text = random.once(100) ? "é\r\n".repeat(1_998 + random.below(4)) : textFrom(random, 30, random.of(["\n", "\r\n", "mixed"]));
    // A window that starts behind the end shows nothing, and its notice is nobody's contract.
    const [offset, limit] = [random.below(text.split("\n").length), 1 + random.below(6)];
    expect(renderNumberedRead(text)).toBe(renderModel(text));
    expect(renderNumberedRead(text, { offset, limit })).toBe(renderModel(text, offset, limit));
    expect(renderNumberedRead(text, { readRange: [offset + 1, offset + limit] })).toBe(renderModel(text, offset, limit));
  }
});
