// The books of the gate against the same books in plain JavaScript: maps, sets and regular expressions.
import { VerificationGate } from "../pkg/dist/node/gate.js";
import { createHash } from "node:crypto";
import { ratio } from "./measure.mjs";

const CHECK_FILE = /(?:^|[\\/])(?:tests?|__tests__|spec|e2e)[\\/]|(?:\.|_|-)(?:test|spec)\.[a-z]+$|(?:^|[\\/])test_[^\\/]+\.py$|(?:^|[\\/])(?:(?:vitest|jest|eslint|playwright|cypress)\.config\.[a-z]+|tsconfig[^\\/]*\.json|pytest\.ini|tox\.ini|conftest\.py|ruff\.toml|clippy\.toml)$/;
const MARKERS = [
  ["@ts-ignore", /(?:\/\/|\/\*)\s*@ts-ignore/], ["@ts-expect-error", /(?:\/\/|\/\*)\s*@ts-expect-error/], ["@ts-nocheck", /(?:\/\/|\/\*)\s*@ts-nocheck/],
  ["eslint-disable", /eslint-disable/], ["biome-ignore", /biome-ignore/], [".skip", /\b(?:it|test|describe|suite)\.skip\b/], [".only", /\b(?:it|test|describe|suite)\.only\b/],
  ["xit", /\b(?:xit|xdescribe|xtest)\s*\(/], ["noqa", /#\s*noqa\b/], ["type: ignore", /#\s*type:\s*ignore/], ["pytest.mark.skip", /pytest\.mark\.(?:skip|xfail)/],
  ["#[ignore]", /#\[ignore/], ["#[allow]", /#!?\[allow/], ["t.Skip", /\bt\.Skip/], ["nolint", /\/\/\s*nolint/], ["@Disabled", /@Disabled\b/], ["|| true", /\|\|\s*true\b/], ["continue-on-error", /continue-on-error:\s*true/],
];

class PlainGate {
  seq = 0; mutation = 0; verified = 0; unknown = false; files = new Set(); failed = new Map(); passed = new Map(); suspects = new Map(); touched = false; runVerified = 0;
  recordMutation(path, added) {
    this.mutation = ++this.seq;
    this.files.add(path);
    this.passed.clear();
    this.touched = true;
    const markers = added === undefined ? [] : MARKERS.filter(([, pattern]) => pattern.test(added)).map(([name]) => name);
    if ((CHECK_FILE.test(path) || markers.length > 0) && !this.suspects.has(path)) this.suspects.set(path, { since: this.seq, markers });
  }
  hash(command) {
    return createHash("sha256").update(command.trim().replace(/\s+/g, " ")).digest("hex");
  }
  recordVerification(revision = this.mutation, command = "verification") {
    if (revision !== this.mutation) return;
    const hash = this.hash(command);
    for (const [failed, at] of this.failed) if (failed === hash || at < revision) this.failed.delete(failed);
    this.passed.set(hash, revision);
    if (this.failed.size > 0) return;
    this.verified = this.runVerified = ++this.seq;
    this.unknown = false;
    this.files.clear();
  }
  recordFailedVerification(command, revision = this.mutation) {
    const hash = this.hash(command);
    if ((this.passed.get(hash) ?? -1) > revision) return;
    this.failed.set(hash, Math.max(revision, this.failed.get(hash) ?? 0));
  }
  isOwed() {
    return this.unknown || this.failed.size > 0 || this.mutation > this.verified;
  }
  pendingReason() {
    if (this.isOwed() && this.touched) return this.verified > 0 && this.mutation > this.verified ? "recheck" : "initial";
    for (const { since } of this.suspects.values()) if (since < this.runVerified) return "tamper";
    return null;
  }
}

const line = "  const value = compute(input, options); // keep the old order\n";
const texts = ["export const answer = 42;\n", line.repeat(8), line.repeat(40), "// @ts-ignore\n" + line.repeat(4)];
const commands = ["pnpm test", "cargo test --workspace", "npm run lint", "pytest -x -q"];

/** 10,000 events of a working agent: six changes, a failure and a pass by turns, the state asked after each. */
function run(gate) {
  let owed = 0;
  for (let index = 0; index < 10_000; index += 1) {
    const turn = index % 10;
    if (turn < 6) gate.recordMutation(`src/part${index % 40}/file${index % 97}.ts`, texts[index % 4]);
    else if (turn === 6) gate.recordFailedVerification(commands[index % 4]);
    else gate.recordVerification(undefined, commands[(index >> 2) % 4]);
    if (gate.isOwed()) owed += 1;
    if (gate.pendingReason() === null) owed += 1;
  }
  return owed;
}

export const cases = [
  { name: "gate: 10,000 events", target: 1, run: () => ratio(() => run(new VerificationGate()), () => run(new PlainGate())) },
];
