import { mkdtempSync, openSync, readFileSync, rmSync, writeSync, closeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ChatTranscriptStore, rewriteHostPaths } from "agent-evidence";
import { ratio } from "./measure.mjs";

const PROSE = "The gate owes a check until `cargo test` passes; see src/gate/mod.rs:120 and the \"notes\".\n\n- first point\n- second point\n";

/** The path of a transcript of 100 MB: replies from 200 bytes to 3 kB, a few of 1 MB, a tenth not ASCII. */
function transcript(directory) {
  const path = join(directory, "bench.jsonl");
  const file = openSync(path, "w", 0o600);
  for (let index = 0, size = 0; size < 100e6; index += 1) {
    const stamp = { at: 1_700_000_000_000 + index, turnId: `turn-${index >> 2}` };
    const text = PROSE.repeat(index % 5000 === 0 ? 8000 : 2 + ((index * 7) % 20)) + (index % 10 === 0 ? "é漢😀" : "");
    const usage = { inputTokens: 100, outputTokens: 2000, cacheReadTokens: 0, cacheCreationTokens: 0, costUsd: 0.01 };
    const item = { raw: "src/a.ts:12", kind: "line", status: "verified" };
    const record = [
      { ...stamp, kind: "user", text: text.slice(0, 200), seats: ["claude", "codex"] },
      { ...stamp, kind: "seat", cliKey: "claude", text, ok: true, usage },
      { ...stamp, kind: "seat", cliKey: "codex", text, ok: true, usage: null },
      { ...stamp, kind: "citations", cliKey: "claude", verified: 2, unverifiable: 0, corrected: 0, unchecked: 0, items: [item, item] },
    ][index % 4];
    size += writeSync(file, `${JSON.stringify(record)}\n`);
  }
  closeSync(file);
  return path;
}

async function reading(read) {
  const directory = mkdtempSync(join(tmpdir(), "agent-evidence-bench-"));
  try {
    const path = transcript(directory);
    const store = new ChatTranscriptStore({ dir: directory });
    let count;
    const theirs = () => {
      const records = [];
      for (const line of readFileSync(path, "utf8").split("\n")) if (line) records.push(JSON.parse(line));
      count = records.length;
    };
    const ours = () => {
      if (read(store) !== count && count !== undefined) throw new Error("not every record was read");
    };
    return await ratio(ours, theirs, 5);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function hostPaths() {
  const roots = Array.from({ length: 50 }, (_, index) => ({ absRoot: `/home/user/work/repository-${index}${index % 3 ? "" : "/nested"}`, name: `repository-${index}` }));
  let text = "";
  for (let index = 0; text.length < 8 << 20; index += 1) {
    const { absRoot } = roots[(index * 7) % roots.length];
    text += `${PROSE}In ${absRoot}/src/file-${index}.ts:12 and (${absRoot}), not ${absRoot}-old or https://host/a/b/${index}.\n`;
  }
  const escape = (word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const longestFirst = [...roots].sort((a, b) => b.absRoot.length - a.absRoot.length);
  const patterns = longestFirst.map(({ absRoot, name }) => [new RegExp(`(?<![\\w./\\\\~@%+$#-])${escape(absRoot)}(?=[\\s"'\`()\\[\\]{}<>*|;:,/“”‘’。，、]|$)`, "g"), name]);
  const theirs = () => patterns.reduce((left, [pattern, name]) => left.replaceAll(pattern, () => name), text);
  const ours = () => rewriteHostPaths(text, roots);
  if (ours() !== theirs()) throw new Error("the two ways differ");
  return ratio(ours, theirs, 5);
}

export const cases = [
  { name: "rewriteHostPaths, 8 MB, 50 roots", target: 0.3, run: async () => hostPaths() },
  { name: "read a 100 MB transcript", target: 1.0, run: () => reading((store) => store.read("bench").length) },
  {
    name: "iterate a 100 MB transcript",
    target: 1.0,
    run: () => reading((store) => {
      let count = 0;
      for (const _ of store.records("bench")) count += 1;
      return count;
    }),
  },
];
