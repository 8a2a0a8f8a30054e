import { readFileSync } from "node:fs";
import { inspect } from "node:util";
import { expect, test } from "vitest";
import * as gate from "agent-evidence/gate";
import { LIMITS, VerificationGate } from "agent-evidence";

const data = (name: string) => readFileSync(new URL(`../data/gate/${name}`, import.meta.url), "utf8");

interface Operation {
  call: string;
  args: never[];
  returns: unknown;
  after: unknown;
}

function visible(state: VerificationGate) {
  const problem = state.verificationProblem();
  const { files, seq } = state.snapshot();
  return {
    revision: state.revision,
    isOwed: state.isOwed(),
    isTamperOwed: state.isTamperOwed(),
    pendingReason: state.pendingReason(),
    willInject: state.willInject(),
    problem: problem === null ? null : /failed/.test(problem) ? "failed" : "missing",
    suspects: state.tamperSuspects().map((suspect) => suspect.filePath),
    files,
    seq,
  };
}

function take(state: VerificationGate, { call, args }: Operation): unknown {
  if (call === "snapshotRestore") {
    state.restore(JSON.parse(JSON.stringify(state.snapshot())));
    return null;
  }
  const kind = state.demandData()?.reason === "tamper" ? "tamper" : "demand";
  const returned = (state as unknown as Record<string, (...args: never[]) => unknown>)[call]!(...args);
  return call === "followUp" && returned !== null ? { count: (returned as unknown[]).length, kind } : null;
}

const sequences = JSON.parse(data("sequences.json")) as { name: string; operations: Operation[] }[];

test("golden sequences match after every operation", () => {
  for (const { name, operations } of sequences) {
    const state = new VerificationGate();
    operations.forEach((operation, index) => {
      expect(take(state, operation), `${name} operation ${index}`).toEqual(operation.returns);
      expect(visible(state), `${name} operation ${index}`).toEqual(operation.after);
    });
  }
});

test("a disposed gate goes on where it was", () => {
  for (const { name, operations } of sequences) {
    const state = new VerificationGate();
    operations.forEach((operation, index) => {
      if (index % 3 === 0) state[Symbol.dispose]();
      take(state, operation);
      state[Symbol.dispose]();
      state[Symbol.dispose]();
      expect(visible(state), `${name} operation ${index}`).toEqual(operation.after);
    });
  }
});

test("a restart of the engine loses nothing", async () => {
  const engine = (await import(new URL("../../pkg/dist/engine.js", import.meta.url).href)) as { call<T>(run: () => T): T; currentGeneration(): number };
  for (const { name, operations } of sequences.slice(0, 20)) {
    const state = new VerificationGate();
    operations.forEach((operation, index) => {
      take(state, operation);
      const before = engine.currentGeneration();
      expect(() => engine.call(() => { throw new WebAssembly.RuntimeError("unreachable"); })).toThrow(expect.objectContaining({ code: "ENGINE_RESTARTED" }));
      expect(engine.currentGeneration()).toBe(before + 1);
      expect(visible(state), `${name} operation ${index}`).toEqual(operation.after);
    });
  }
});

test("a cause and a rejected check outlive a restart and long histories are saved", async () => {
  const engine = (await import(new URL("../../pkg/dist/engine.js", import.meta.url).href)) as { call<T>(run: () => T): T };
  const state = new VerificationGate();
  for (let index = 0; index < 3000; index += 1) state.recordMutation(`src/é漢😀/${index}.ts`, "x".repeat(100));
  state.recordRejectedCheck("npm test || true", "its exit code proves nothing");
  state.requireFreshVerification(true, "a sub-agent wrote files");
  expect(() => engine.call(() => { throw new WebAssembly.RuntimeError("unreachable"); })).toThrow();
  const data = state.demandData();
  expect(data?.files).toHaveLength(3000);
  expect(data?.rejectedChecks).toEqual([{ command: "npm test || true", reason: "its exit code proves nothing" }]);
  expect(data?.cause).toBe("a sub-agent wrote files");
  const content = state.followUp()?.[0]?.content ?? "";
  expect(content).toContain("npm test || true: its exit code proves nothing");
  expect(content).toContain("a sub-agent wrote files");
  expect(content).toContain("and 2950 more");
  expect(state.followUp()).toBeNull();
});

test("logs show the state and never a command", () => {
  const state = new VerificationGate();
  state.recordMutation("src/a.test.ts", "it.only('x', f)");
  state.recordFailedVerification("TOKEN=hunter2 npm test");
  const logged = JSON.stringify({ state });
  expect(JSON.parse(logged).state).toEqual(state.snapshot());
  const shown = inspect(state);
  expect(shown).toMatch(/^VerificationGate /);
  expect(shown).toContain("owed: true");
  expect(shown).toContain("src/a.test.ts");
  expect(logged + shown).not.toContain("hunter2");
});

test("a fresh snapshot has the plain shape and a suspect one still restores", () => {
  const state = new VerificationGate();
  expect(state.snapshot()).toEqual({ version: 1, seq: 0, mutation: 0, verified: 0, files: [], failedChecks: [], unknown: false });
  state.recordMutation("a.test.ts");
  state.recordVerification();
  const other = new VerificationGate();
  other.restore(structuredClone(state.snapshot()));
  expect(other.isTamperOwed()).toBe(true);
  expect(other.tamperSuspects()).toEqual(state.tamperSuspects());
});

test("a value that is no snapshot leaves a check owed", () => {
  const cyclic: Record<string, unknown> = {};
  cyclic.self = cyclic;
  const thrower = new Proxy({}, { get: () => { throw new Error("no"); }, ownKeys: () => { throw new Error("no"); } });
  for (const value of [undefined, null, 1n, NaN, "", "{}", [], {}, cyclic, thrower, () => 1, Symbol("x"), new Map(), new Date(NaN), { version: 1 }, { ...new VerificationGate().snapshot(), seq: 0.5 }, { ...new VerificationGate().snapshot(), seq: -1 }, { ...new VerificationGate().snapshot(), files: ["a", 1] }]) {
    const state = new VerificationGate();
    state.restore(value);
    expect(state.isOwed()).toBe(true);
    state.recordVerification();
    expect(state.isOwed()).toBe(false);
  }
});

test("misuse is refused before anything happens", () => {
  const state = new VerificationGate();
  const wrong: [() => unknown, string][] = [
    [() => state.recordMutation(1 as never), "filePath"],
    [() => state.recordMutation("a\0b"), "filePath"],
    [() => state.recordMutation("a", null as never), "addedText"],
    [() => state.recordMutation("a", undefined, { wholeFile: true }), "addedText"],
    [() => state.recordMutation("a", "x", { wholeFile: "yes" as never }), "options.wholeFile"],
    [() => state.recordMutation("a", "x", { whole: true } as never), "options.whole"],
    [() => state.recordVerification(-1), "revision"],
    [() => state.recordVerification(1.5), "revision"],
    [() => state.recordVerification("1" as never), "revision"],
    [() => state.recordVerification(1, null as never), "command"],
    [() => state.recordFailedVerification(undefined as never), "command"],
    [() => state.recordFailedVerification("x", NaN), "revision"],
    [() => state.requireFreshVerification(1 as never), "invalidateRevision"],
    [() => state.requireFreshVerification(true, 1 as never), "cause"],
    [() => state.recordRejectedCheck("x", undefined as never), "reason"],
    [() => gate.isCodeFilePath(null as never), "filePath"],
    [() => gate.isCheckOwnFile({} as never), "filePath"],
    [() => gate.detectCheckWeakening([] as never), "addedText"],
    [() => gate.extractAddedLines(1 as never), "diff"],
    [() => gate.addedLinesByFile(undefined as never), "diff"],
    [() => gate.buildVerificationFollowUpMessage(["a", 1 as never]), "files[1]"],
    [() => gate.buildTamperDisclosureMessage([{ filePath: "a" } as never]), "suspects[0].reason"],
  ];
  for (const [run, field] of wrong) expect(run, field).toThrow(expect.objectContaining({ name: "EvidenceError", details: expect.objectContaining({ field }) }));
  expect(state.snapshot().seq).toBe(0);
});

test("the labelled tables are judged the same here", () => {
  for (const line of data("check-files.tsv").split("\n").filter(Boolean)) {
    const [label, path] = line.split("\t") as [string, string];
    expect(gate.isCheckOwnFile(path), path).toBe(label === "check");
  }
  for (const line of data("markers.tsv").split("\n").filter(Boolean)) {
    const at = line.indexOf("\t");
    const text = line.slice(at + 1).replaceAll("\\n", "\n").replaceAll("\\r", "\r");
    expect(gate.detectCheckWeakening(text).sort(), text).toEqual(line.slice(0, at) === "-" ? [] : line.slice(0, at).split(" & ").sort());
  }
});

test("source code is told from documents, settings and data", () => {
  for (const path of ["src/a.ts", "A.PY", "src\\x.R", "Makefile", "é漢😀.rs", "a.vue"]) expect(gate.isCodeFilePath(path), path).toBe(true);
  for (const path of ["", "README.md", "package.json", "a.css", "x.png", ".env", "Cargo.lock"]) expect(gate.isCodeFilePath(path), path).toBe(false);
});

test("a diff is split by file, and content that looks like a header stays", () => {
  const diff = "diff --git a/é.ts b/é.ts\n--- a/é.ts\n+++ b/é.ts\n@@ -1,2 +1,3 @@\n a\n--- x\n+++ y\n+漢 😀\n\\ No newline at end of file\ndiff --git a/p.png b/p.png\nBinary files differ\n";
  expect(gate.extractAddedLines(diff)).toBe("++ y\n漢 😀");
  expect(gate.addedLinesByFile(diff)).toEqual([{ filePath: "é.ts", addedText: "++ y\n漢 😀" }, { filePath: "p.png", addedText: "" }]);
  expect(gate.extractAddedLines("@@ -0,0 +1 @@\n+a\ud800b")).toBe("a\ufffdb");
});

test("the constants are the engine's limits", () => {
  expect(gate.MAX_VERIFICATION_INJECTIONS).toBe(LIMITS.MAX_VERIFICATION_INJECTIONS?.value);
  expect(gate.MAX_TAMPER_INJECTIONS).toBe(LIMITS.MAX_TAMPER_INJECTIONS?.value);
});

test("messages list sorted and are the user's", () => {
  const message = gate.buildVerificationFollowUpMessage(["z.rs", "a.rs"], true);
  expect(message.role).toBe("user");
  expect(message.content).toContain("- a.rs\n- z.rs");
  const disclosure = gate.buildTamperDisclosureMessage([{ filePath: "b", reason: "r2" }, { filePath: "a", reason: "r1" }]);
  expect(disclosure.content).toContain("- a: r1\n- b: r2");
});
