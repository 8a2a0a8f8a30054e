/** What a repository's own files say about it, without a process. */
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** True when the repository is shallow or partial, or cannot be found: what it lacks may exist. */
export function mayLackCommits(root: string): boolean {
  try {
    const shared = sharedDirectory(realpathSync(root));
    if (shared === undefined) return true;
    const shallow = join(shared, "shallow");
    if (existsSync(shallow) && statSync(shallow).size > 0) return true;
    if (/^\s*(promisor|partialclone)\b/im.test(readFileSync(join(shared, "config"), "utf8"))) return true;
    const packs = join(shared, "objects", "pack");
    return existsSync(packs) && readdirSync(packs).some((name) => name.endsWith(".promisor"));
  } catch {
    return true;
  }
}

/** The directory with the objects of the repository that `start` is in. */
function sharedDirectory(start: string): string | undefined {
  for (let directory = start; ; directory = dirname(directory)) {
    const dotGit = join(directory, ".git");
    const own = existsSync(dotGit) ? gitDirectory(dotGit) : directory;
    if (own !== undefined && existsSync(join(own, "HEAD"))) {
      const common = join(own, "commondir");
      const shared = existsSync(common) ? resolve(own, readFileSync(common, "utf8").trim()) : own;
      if (existsSync(join(shared, "objects"))) return shared;
    }
    if (dirname(directory) === directory) return undefined;
  }
}

/** `.git` itself, or where the file `.git` of a work tree or submodule points. */
function gitDirectory(dotGit: string): string | undefined {
  if (statSync(dotGit).isDirectory()) return dotGit;
  const target = /^gitdir: (.+)/.exec(readFileSync(dotGit, "utf8"))?.[1];
  return target === undefined ? undefined : resolve(dirname(dotGit), target.trim());
}
