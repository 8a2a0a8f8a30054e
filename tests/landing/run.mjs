// Measures how many links land: `node tests/landing/run.mjs CORPUS [--alone] [--every N]`. A corpus is
// JSON, gzipped or not: { documents: [{ id, markdown, html }], passages: [{ document, start, end,
// cut: [how, how], expected: [from, to] }] }; `expected` counts in all text of the page's body.
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { gunzipSync } from "node:zlib";
import { textFragment } from "agent-evidence/anchors";
import { Landing, verdict } from "./landing.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { alone: { type: "boolean" }, every: { type: "string", default: "1" }, misses: { type: "boolean" } },
});
const [path] = positionals;
if (path === undefined) {
  console.error("usage: node tests/landing/run.mjs CORPUS [--alone] [--every N] [--misses]");
  process.exit(2);
}
const bytes = readFileSync(path);
const { documents, passages } = JSON.parse(bytes[0] === 0x1f ? gunzipSync(bytes) : bytes);
const tally = new Map();
const count = (group, result) => {
  const row = tally.get(group) ?? tally.set(group, {}).get(group);
  row[result] = (row[result] ?? 0) + 1;
};
const landing = await Landing.start(12_000);
for (const [index, passage] of passages.entries()) {
  if (index % Number(values.every) !== 0) continue;
  const { id, markdown, html } = documents[passage.document];
  const text = markdown.slice(passage.start, passage.end);
  const directive = textFragment(text, values.alone ? {} : { document: markdown, startChar: passage.start });
  const result = directive === "" ? "no fragment" : verdict(passage.expected, await landing.highlighted(html, directive));
  count("all", result);
  count(["mid-word", "mid-space"].find((cut) => passage.cut.includes(cut)) ?? "block", result);
  if (values.misses && result !== "right") console.log(result, id, passage.start, directive);
}
await landing.close();
for (const [group, row] of tally) {
  const total = Object.values(row).reduce((sum, number) => sum + number, 0);
  console.log(group.padEnd(10), `${((100 * (row.right ?? 0)) / total).toFixed(1)} % right of ${total}`, JSON.stringify(row));
}
