/** A reply about this very repository, with true references and false ones, verified in the terminal. */
import { execFileSync } from "node:child_process";
import { resolve } from "node:path";
import { styleText } from "node:util";
import { markCitations, verifyCitations } from "agent-evidence";

const repository = resolve(import.meta.dirname, "..");
const roots = [{ absRoot: repository, name: "agent-evidence" }];

const reply = `The core never touches JavaScript: ARCHITECTURE.md:1 says why, and tests/tidy.rs keeps it so.
\`EvidenceError\` is at pkg/src/errors.ts:2, every bound is in src/limits.rs, and src/lib.rs:the_engine starts it all.
The helpers are in support/browser.ts; the turnstile is new, see src/gate/turnstile.rs:12 (e.g. and/or is no path).
It came with commit ${latestCommit()}; the crash was fixed in 9c41d7e.`;

const MARKS = {
  verified: { sign: "✓", colour: "green" },
  corrected: { sign: "→", colour: "yellow" },
  unverified: { sign: "✗", colour: "red" },
  unchecked: { sign: "?", colour: "gray" },
};
const paint = (colour, text) => (process.stdout.isTTY || process.env["FORCE_COLOR"] ? styleText(colour, text) : text);
const badge = (status) => paint(MARKS[status].colour, MARKS[status].sign);

const result = await verifyCitations(reply, roots);

const marked = markCitations(reply, result).map(({ text, citation }) => (citation ? `${paint(["underline", MARKS[citation.status].colour], text)}${badge(citation.status)}` : text));
console.log(`\n${marked.join("")}\n`);

const width = Math.max(...result.items.map(({ raw }) => raw.length));
for (const { raw, status, resolved, note } of result.items) {
  console.log(`  ${badge(status)} ${raw.padEnd(width)}  ${status}${resolved ? `, really ${resolved}` : ""}${note ? `: ${note}` : ""}`);
}
const { verified, corrected, unverifiable: unverified, unchecked } = result;
const counts = Object.entries({ verified, corrected, unverified, unchecked }).map(([status, count]) => `${badge(status)} ${count} ${status}`);
console.log(`\n  ${counts.join("   ")}\n`);

/** A commit that is there; without git the sample cites one that cannot be looked up. */
function latestCommit() {
  try {
    return execFileSync("git", ["-C", repository, "log", "-1", "--format=%h", "--abbrev=9"], { encoding: "utf8" }).trim();
  } catch {
    return "0123abcd9";
  }
}
