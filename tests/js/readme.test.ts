/** Every example of the README is run, and prints what the README says it prints. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

const readme = readFileSync(join(import.meta.dirname, "../../README.md"), "utf8");
const examples = [...readme.matchAll(/```js\n([\s\S]*?)```\n\n```text\n([\s\S]*?)```/g)];

test("the README has an example for every part", () => {
  const code = examples.map(([, source]) => source).join("\n");
  for (const entry of ["agent-evidence\"", "/gate\"", "/ledger\"", "/transcripts\"", "/anchors\"", "/node\"", "/memory\""]) {
    expect(code).toContain(entry);
  }
  expect(readme.match(/```js/g)).toHaveLength(examples.length);
});

test.each(examples.map(([, source, output]) => [source?.split("\n")[0] ?? "", source ?? "", output ?? ""]))("%s", (_, source, output) => {
  const place = mkdtempSync(join(tmpdir(), "agent-evidence-readme-"));
  try {
    const printed = execFileSync(process.execPath, ["--input-type=module", "-e", source], { cwd: import.meta.dirname, encoding: "utf8", env: { ...process.env, PLACE: place } });
    expect(printed).toBe(output);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
});
