/** The ledger in a page: the same conversations, the same judgement. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { packagePages } from "../support/browser.js";

interface Vector {
  name: string;
  workingDirectory: string;
  messages: unknown[];
  expected: { report: object; evidence: object[]; observedPaths: string[] };
}

const vectors = JSON.parse(readFileSync(new URL("../data/ledger/conversations.json", import.meta.url), "utf8")) as Vector[];

/** The script sees `ledger`, ready. */
const inPage = packagePages(`
  const ledger = await import("/dist/ledger.js");
  await ledger.init();`);

test("every conversation is judged in Chromium as the vectors judge it", async () => {
  const judged = (await inPage(`return ${JSON.stringify(vectors)}.map(({ messages, workingDirectory }) => {
    const tracker = ledger.createFileReadTracker();
    const report = ledger.replayObservationLedger(messages, tracker, ledger.lexicalFileKeys(workingDirectory, false));
    const evidence = ledger.visibleFileEvidence(messages, tracker, workingDirectory, false);
    return { report, evidence, observedPaths: ledger.collectObservedPaths(messages) };
  });`)) as object[];
  expect(judged).toHaveLength(150);
  for (const [index, { name, expected: { report, evidence, observedPaths } }] of vectors.entries()) {
    expect(judged[index], name).toEqual({ report, evidence, observedPaths });
  }
});

test("half of a surrogate pair is refused in a page too", async () => {
  const report = await inPage(`
    const call = { id: "w", function: { name: "write", arguments: '{"path":"a","content":"' + String.fromCharCode(0xd83d) + '"}' } };
    const messages = [{ role: "assistant", toolCalls: [call] }, { role: "tool", toolCallId: "w", content: "done" }];
    return ledger.replayObservationLedger(messages, ledger.createFileReadTracker(), (path) => path);`);
  expect(report).toEqual({ pathsWitnessed: 0, pathsSeen: 1, unitsReplayed: 0 });
});
