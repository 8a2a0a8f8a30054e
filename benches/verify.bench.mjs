// Verification over Node's host, against the straightforward way to ask git and the file system.
import { execFile, execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { verifyCitations } from "agent-evidence";
import { chatCitationDeps } from "agent-evidence/node";
import { ratio } from "./measure.mjs";

const run = promisify(execFile);

async function inFolder(work) {
  const folder = mkdtempSync(join(tmpdir(), "evidence-bench-"));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function commitsOf(root, count) {
  mkdirSync(root);
  const person = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"];
  const git = (...command) => execFileSync("git", ["-C", root, ...person, ...command], { env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null" } }).toString().trim();
  git("init", "--quiet");
  return Array.from({ length: count }, (_, number) => {
    git("commit", "--quiet", "--allow-empty", "--message", `${root} ${number}`);
    return git("rev-parse", "HEAD").slice(0, 12);
  });
}

const isThere = async (root, sha) => run("git", ["-C", root, "cat-file", "-e", `${sha}^{commit}`]).then(() => true, () => false);

export const cases = [
  {
    name: "verify 26 SHAs (2 invented) over 9 repos; one cat-file -e each = 1",
    target: 0.1,
    run: () => inFolder(async (folder) => {
      const roots = Array.from({ length: 9 }, (_, number) => ({ absRoot: join(folder, `repo${number}`), name: `repo${number}` }));
      const shas = [...roots.flatMap(({ absRoot }) => commitsOf(absRoot, 3)).filter((sha) => /\d/.test(sha) && /[a-f]/.test(sha)).slice(0, 24), "70fcd59", "0badc0de1"];
      const text = shas.map((sha) => `- \`${sha}\` did something`).join("\n");
      const ours = async () => {
        const deps = chatCitationDeps();
        const { verified, unverifiable } = await verifyCitations(text, roots, deps);
        await deps.close();
        if (verified !== 24 || unverifiable !== 2) throw new Error(`${verified} verified, ${unverifiable} not`);
      };
      const theirs = async () => {
        let found = 0;
        for (const sha of shas) {
          let there = false;
          for (const { absRoot } of roots) there = (await isThere(absRoot, sha)) || there;
          found += there ? 1 : 0;
        }
        if (found !== 24) throw new Error(`${found} found`);
      };
      return ratio(ours, theirs, 5);
    }),
  },
  ...[["", ""], ["each with its symbol, ", "`wanted` "]].map(([label, before]) => ({
    name: `verify 80 line references into a 4 MB file, ${label}one read; a read each = 1`,
    target: 0.1,
    run: () => inFolder(async (folder) => {
      const file = join(folder, "big.ts");
      const line = "export const name = 'é 漢 😀 some text that fills the line of a source file';\n";
      const count = Math.floor((4 << 20) / Buffer.byteLength(line));
      writeFileSync(file, `${line.repeat(count - 1)}const wanted = 1;\n`);
      const lines = Array.from({ length: 80 }, (_, number) => 1 + number * Math.floor(count / 81));
      const text = lines.map((number) => `- ${before}(\`./big.ts:${number}\`)`).join("\n");
      const host = chatCitationDeps();
      let reads = 0;
      const deps = { ...host, readText: (abs, within) => ((reads += 1), host.readText(abs, within)) };
      const ours = async () => {
        reads = 0;
        const { items } = await verifyCitations(text, [{ absRoot: folder, name: "big" }], deps);
        const expected = before === "" ? "verified" : "corrected";
        if (reads !== 1 || items.length !== 80 || items.some(({ status }) => status !== expected)) throw new Error(`${reads} reads, ${JSON.stringify(items[0])}`);
      };
      const theirs = () => {
        for (const number of lines) {
          const all = readFileSync(file, "utf8").split("\n");
          if (all.length < number || (before !== "" && !all[number - 1].includes("wanted") && all.findIndex((one) => one.includes("wanted")) < 0)) throw new Error("not there");
        }
      };
      return ratio(ours, theirs, 5);
    }),
  })),
];
