/** Random histories, judged by the package and by the plain model of the contract. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { VerificationGate } from "agent-evidence/gate";
import { GateModel, type Operation } from "../support/gate-model.js";
import { Random } from "../support/random.js";

const PATHS = ["src/a.ts", "src/é漢😀.rs", "src/\uFFFD.c", "a.test.ts", "tsconfig.json", "README.md", "", "src/b.py"];
const TEXTS = ["const ok = 1;\n", "// @ts-ignore\nx();\n", "x = 1  # noqa\n", "// @ts-ignore\nx();\n// @ts-ignore\ny();\n", "#[ignore]\nfn t() {}\n// @ts-ignore\nz();\n", ""];
const COMMANDS = ["npm test", " npm\t test\r\n", "cargo test", "pytest -x", "", "é漢😀"];
const NONSENSE = [undefined, null, 1, "x", {}, [], { version: 2 }, { version: 1, seq: 1, mutation: 2, verified: 0, files: [], failedChecks: [], unknown: false }];

function operation(random: Random, revision: number): Operation {
  const near = (): number | undefined => random.of([undefined, undefined, revision, revision, Math.max(0, revision - 1 - random.below(3)), revision + 1]);
  const kind = random.below(100);
  if (kind < 30) {
    const text = random.once(4) ? undefined : random.of(TEXTS);
    if (text === undefined) return { call: "recordMutation", args: [random.of(PATHS)] };
    if (random.once(2)) return { call: "recordMutation", args: [random.of(PATHS), text, { wholeFile: true, ...(random.once(2) && { before: random.of(TEXTS) }) }] };
    return { call: "recordMutation", args: [random.of(PATHS), text] };
  }
  if (kind < 50) return { call: "recordVerification", args: random.once(6) ? [] : [near(), random.of(COMMANDS)] };
  if (kind < 64) return { call: "recordFailedVerification", args: [random.of(COMMANDS), near()] };
  if (kind < 69) return { call: "requireFreshVerification", args: random.once(2) ? [random.once(2)] : [true, random.of(["a sub-agent wrote files", "the disk changed"])] };
  if (kind < 75) return { call: "recordRejectedCheck", args: [random.of(["npm test || true", "vitest --watch"]), random.of(["hides the status", "never ends"])] };
  if (kind < 90) return { call: "followUp", args: [] };
  if (kind < 94) return { call: "beginRun", args: [] };
  return { call: random.of(["snapshotRestore", "snapshotRestore", "restoreElsewhere", "dispose", "dispose", ...(random.once(4) ? (["reset", "restoreNonsense"] as const) : [])] as const), args: [] };
}

/** The gate itself, as a host drives it. */
class Host {
  gate = new VerificationGate();

  take({ call, args }: Operation, nonsense: unknown): string | null {
    if (call === "dispose") this.gate[Symbol.dispose]();
    else if (call === "restoreNonsense") this.gate.restore(nonsense);
    else if (call === "snapshotRestore") this.gate.restore(JSON.parse(JSON.stringify(this.gate.snapshot())));
    else if (call === "restoreElsewhere") {
      const snapshot = this.gate.snapshot();
      this.gate = new VerificationGate();
      this.gate.recordMutation("elsewhere.ts");
      this.gate.restore(structuredClone(snapshot));
    } else if (call === "followUp") {
      const reason = this.gate.pendingReason();
      return this.gate.followUp() === null ? null : reason;
    } else (this.gate[call] as (...args: unknown[]) => void)(...args);
    return null;
  }

  visible(): object {
    const { suspicion: _, ...snapshot } = this.gate.snapshot();
    const data = this.gate.demandData();
    const problem = this.gate.verificationProblem();
    return {
      revision: this.gate.revision,
      owed: this.gate.isOwed(),
      tamperOwed: this.gate.isTamperOwed(),
      pending: this.gate.pendingReason(),
      willInject: this.gate.willInject(),
      problem: problem === null ? null : /failed/.test(problem) ? "failed" : "missing",
      suspects: this.gate.tamperSuspects().map(({ filePath }) => filePath),
      snapshot: { ...snapshot, failedChecks: [...snapshot.failedChecks].sort() },
      demand: data && { reason: data.reason, problem: data.problem, files: [...data.files].sort(), failed: data.failedChecks, rejected: data.rejectedChecks, cause: data.cause },
    };
  }
}

function expected(model: GateModel): object {
  const pending = model.pendingReason();
  return {
    revision: model.revision,
    owed: model.isOwed(),
    tamperOwed: model.isTamperOwed(),
    pending,
    willInject: pending !== null,
    problem: model.problem(),
    suspects: model.suspectPaths(),
    snapshot: model.snapshot(),
    demand: pending && { reason: pending, problem: model.problem(), files: model.files().sort(), failed: model.failures().size, rejected: model.rejected(), cause: model.cause() },
  };
}

/** Where the two first differ on `operations`, if they do. */
function difference(operations: readonly Operation[]): { at: number; seen: unknown; meant: unknown } | undefined {
  const [host, model] = [new Host(), new GateModel()];
  for (const [at, step] of operations.entries()) {
    const seen = [host.take(step, NONSENSE[at % NONSENSE.length]), host.visible()];
    const meant = [model.take(step), expected(model)];
    if (JSON.stringify(seen) !== JSON.stringify(meant)) return { at, seen, meant };
  }
  return undefined;
}

/** The same difference with as few operations as dropping one at a time can leave. */
function shrunk(operations: readonly Operation[]): Operation[] {
  let left = [...operations];
  for (let index = left.length - 1; index >= 0; index -= 1) {
    const without = left.filter((_, other) => other !== index);
    if (difference(without)) left = without;
  }
  return left;
}

test("the model itself gives the golden sequences", () => {
  const sequences = JSON.parse(readFileSync(new URL("../data/gate/sequences.json", import.meta.url), "utf8")) as { name: string; operations: (Operation & { after: object })[] }[];
  for (const { name, operations } of sequences) {
    const model = new GateModel();
    for (const [index, step] of operations.entries()) {
      model.take(step);
      const { revision, seq } = model;
      const pendingReason = model.pendingReason();
      expect({ revision, seq, isOwed: model.isOwed(), isTamperOwed: model.isTamperOwed(), pendingReason, willInject: pendingReason !== null, problem: model.problem(), suspects: model.suspectPaths(), files: model.files() }, `${name} operation ${index}`).toEqual(step.after);
    }
  }
});

test("random histories are judged as the model judges them after every operation", () => {
  const random = new Random(20_261_204);
  const reached = { initial: 0, recheck: 0, tamper: 0, failed: 0 };
  for (let round = 0; round < Number(process.env["GATE_ROUNDS"] ?? 1_000); round += 1) {
    const model = new GateModel();
    const operations: Operation[] = [];
    for (let length = 1 + random.below(60); length > 0; length -= 1) {
      const step = operation(random, model.revision);
      operations.push(step);
      const demanded = model.take(step);
      if (demanded !== null) reached[demanded as "initial"] += 1;
      if (model.problem() === "failed") reached.failed += 1;
    }
    const found = difference(operations);
    if (found) {
      const least = shrunk(operations);
      expect({ operations: least, ...difference(least) }, `round ${round}`).toBeUndefined();
    }
  }
  // The histories reach what they are meant to.
  for (const [what, count] of Object.entries(reached)) expect(count, what).toBeGreaterThan(100);
});
