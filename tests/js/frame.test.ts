import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { EvidenceError, LIMITS } from "agent-evidence";

test("every limit has a value and a reason", () => {
  expect(LIMITS.DEFAULT_MAX_ITEMS?.value).toBe(80);
  for (const [name, limit] of Object.entries(LIMITS)) {
    expect(limit.value, name).toBeGreaterThan(0);
    expect(limit.reason.length, name).toBeGreaterThan(20);
  }
});

test("an error is an Error with a code and typed details", () => {
  const error = new EvidenceError("INVALID_ARGUMENT", "no", { field: "text" });
  expect(error).toBeInstanceOf(Error);
  expect([error.name, error.code, error.details.field]).toEqual(["EvidenceError", "INVALID_ARGUMENT", "text"]);
});

for (const entry of ["agent-evidence", "agent-evidence/citations", "agent-evidence/ledger", "agent-evidence/gate", "agent-evidence/transcripts", "agent-evidence/anchors", "agent-evidence/inline", "agent-evidence/node", "agent-evidence/memory"]) {
  test(`require("${entry}") works`, () => {
    const script = `const m = require(${JSON.stringify(entry)}); if (typeof m.EvidenceError !== "function") process.exit(1)`;
    execFileSync(process.execPath, ["--no-warnings", "-e", script], { cwd: import.meta.dirname });
  });
}
