/** The gate in a page: the same books, the same judgement, and nothing lost with the engine. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { packagePages } from "../support/browser.js";

const data = (name: string) => readFileSync(new URL(`../data/gate/${name}`, import.meta.url), "utf8");
const rows = (name: string) => data(name).split("\n").filter((line) => line !== "" && !line.startsWith("# ") && !line.startsWith("#\t"));

/** The script sees `gate` and `engine`, ready, and `visible` and `take` for a sequence's operations. */
const inPage = packagePages(`
  const gate = await import("/dist/gate.js");
  const engine = await import("/dist/engine.js");
  await gate.init();
  const fail = () => { try { engine.call(() => { throw new WebAssembly.RuntimeError("unreachable"); }); } catch (error) { return error.code; } };
  const visible = (state) => {
    const problem = state.verificationProblem();
    const { files, seq } = state.snapshot();
    return {
      revision: state.revision, isOwed: state.isOwed(), isTamperOwed: state.isTamperOwed(),
      pendingReason: state.pendingReason(), willInject: state.willInject(),
      problem: problem === null ? null : problem.includes("failed") ? "failed" : "missing",
      suspects: state.tamperSuspects().map((suspect) => suspect.filePath), files, seq,
    };
  };
  const take = (state, { call, args }) => {
    if (call === "snapshotRestore") state.restore(JSON.parse(JSON.stringify(state.snapshot())));
    else state[call](...args);
  };`);

interface Sequence {
  name: string;
  operations: { call: string; args: unknown[]; after: object }[];
}

const sequences = JSON.parse(data("sequences.json")) as Sequence[];

/** What is visible after each operation when \`before\` runs ahead of it. */
async function run(before: string): Promise<object[][]> {
  return (await inPage(`return ${JSON.stringify(sequences)}.map(({ operations }) => {
    const state = new gate.VerificationGate();
    return operations.map((operation, index) => { ${before}; take(state, operation); return visible(state); });
  });`)) as object[][];
}

for (const [name, before] of [
  ["as they are", ""],
  ["disposed of in between", "if (index % 3 === 0) state[Symbol.dispose]()"],
  ["through restarts of the engine", "if (index % 4 === 0) fail()"],
] as const) {
  test(`golden sequences, ${name}`, async () => {
    const seen = await run(before);
    expect(seen).toHaveLength(sequences.length);
    for (const [index, { name, operations }] of sequences.entries()) {
      expect(seen[index], name).toEqual(operations.map((operation) => operation.after));
    }
  });
}

test("every labelled command, path and marker is judged in Chromium as in Node", async () => {
  const commands = rows("commands.tsv").map((row) => row.split("\t"));
  const lines = commands.map(([, , line]) => (line as string).replace(/\\([nr\\])/g, (_, sign: string) => ({ n: "\n", r: "\r" })[sign] ?? "\\"));
  const judged = (await inPage(`return ${JSON.stringify(lines)}.map((line) => {
    const { accepted, candidate } = gate.classifyVerificationCommand(line);
    return accepted ? "proof" : candidate ? "attempt" : "no";
  });`)) as string[];
  expect(judged).toEqual(commands.map(([, label]) => label));
  const paths = rows("check-files.tsv").map((row) => row.split("\t") as [string, string]);
  expect(await inPage(`return ${JSON.stringify(paths)}.map(([, path]) => gate.isCheckOwnFile(path));`)).toEqual(paths.map(([label]) => label === "check"));
  const markers = rows("markers.tsv").map((row) => [row.slice(0, row.indexOf("\t")), row.slice(row.indexOf("\t") + 1).replaceAll("\\n", "\n").replaceAll("\\r", "\r")] as const);
  expect(await inPage(`return ${JSON.stringify(markers)}.map(([, text]) => gate.detectCheckWeakening(text).sort().join(" & ") || "-");`)).toEqual(markers.map(([label]) => label.split(" & ").sort().join(" & ")));
});

test("a failure of the engine is said once, and what was told before it is in the next demand", async () => {
  const answer = await inPage(`
    const state = new gate.VerificationGate();
    state.recordMutation("src/é漢😀.ts", "// @ts-ignore");
    state.recordRejectedCheck("npm test || true", "its status proves nothing");
    state.requireFreshVerification(true, "a sub-agent wrote files");
    const before = gate.isVerificationCommand("npm test");
    const code = fail();
    return { before, code, after: gate.isVerificationCommand("npm test"), demand: state.demandData(), text: state.followUp()[0].content, again: state.followUp(), logged: JSON.stringify({ state }) };`) as Record<string, unknown>;
  expect(answer).toMatchObject({
    before: true,
    code: "ENGINE_RESTARTED",
    after: true,
    again: null,
    demand: {
      reason: "initial",
      files: ["src/é漢😀.ts"],
      cause: "a sub-agent wrote files",
      rejectedChecks: [{ command: "npm test || true", reason: "its status proves nothing" }],
      suspects: [{ filePath: "src/é漢😀.ts" }],
    },
  });
  expect(answer.text).toContain("npm test || true: its status proves nothing");
  expect(answer.logged).not.toContain("npm test");
});
