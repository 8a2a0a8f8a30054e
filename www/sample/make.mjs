/**
 * Makes `kettle.zip`, the sample project with its `.git`: `node www/sample/make.mjs`.
 * Dates, authors and stat fields are fixed, so the same files give the same commits and the same zip.
 */
import { mkdtemp, mkdir, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import * as files from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { zipSync } from "fflate";
import git from "isomorphic-git";
import { HISTORY } from "./history.mjs";

const AUTHOR = { name: "Mira Okafor", email: "mira@kettle.example", timezoneOffset: 0 };

const steady = async (found) => {
  const entry = await found;
  const fixed = { ino: 0, dev: 0, uid: 0, gid: 0, ctimeMs: 0, mtimeMs: 0, ctime: new Date(0), mtime: new Date(0) };
  return new Proxy(entry, { get: (target, name) => (name in fixed ? fixed[name] : typeof target[name] === "function" ? target[name].bind(target) : target[name]) });
};
const fs = { promises: { ...files, stat: (path) => steady(files.stat(path)), lstat: (path) => steady(files.lstat(path)) } };

const dir = await mkdtemp(join(tmpdir(), "kettle-"));
try {
  await git.init({ fs, dir, defaultBranch: "main" });
  for (const { date, message, changes } of HISTORY) {
    for (const [path, content] of Object.entries(changes)) {
      await mkdir(dirname(join(dir, path)), { recursive: true });
      if (content === null) {
        await rm(join(dir, path));
        await git.remove({ fs, dir, filepath: path });
      } else {
        await writeFile(join(dir, path), content);
        await git.add({ fs, dir, filepath: path });
      }
    }
    const author = { ...AUTHOR, timestamp: Date.parse(date) / 1000 };
    const id = await git.commit({ fs, dir, message, author, committer: author });
    console.log(id, message);
  }
  const entries = {};
  for (const entry of (await readdir(dir, { recursive: true, withFileTypes: true })).toSorted((a, b) => (join(a.parentPath, a.name) < join(b.parentPath, b.name) ? -1 : 1))) {
    const path = join(entry.parentPath, entry.name);
    if ((await stat(path)).isFile()) entries[`kettle/${relative(dir, path).replaceAll("\\", "/")}`] = [await readFile(path), { mtime: "2026-01-01T00:00:00" }];
  }
  await writeFile(new URL("kettle.zip", import.meta.url), zipSync(entries, { level: 9 }));
  console.log(`${Object.keys(entries).length} files`);
} finally {
  await rm(dir, { recursive: true });
}
