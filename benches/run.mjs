// Runs the cases of this folder: `node benches/run.mjs [NAME...]`. A case file exports `cases`:
// [{ name, target, run: async () => ratio | { ratio, note } }], a ratio against plain JavaScript.
import { readdirSync } from "node:fs";

const wanted = process.argv.slice(2);
const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith(".bench.mjs")).sort();
for (const file of files) {
  const { cases } = await import(new URL(file, import.meta.url));
  for (const { name, target, run } of cases) {
    if (wanted.length > 0 && !wanted.some((word) => name.includes(word) || file.includes(word))) continue;
    const answer = await run();
    const { ratio, note = "" } = typeof answer === "number" ? { ratio: answer } : answer;
    console.log(`${name.padEnd(64)} ${ratio.toFixed(3).padStart(9)}  target ${target === undefined ? "-" : `<= ${target}`}${target !== undefined && ratio > target ? "  MISSED" : ""}  ${note}`);
  }
}
