/** Citations over Node's file system and git. */
import { integer, options as checkOptions, string } from "../check.js";
import { LIMITS } from "../limits.js";
import type { CommitCheck } from "../citation-types.js";
import type { ChatCitationHost, ChatCitationHostOptions } from "../verify.js";
import { containedFile, readAtMost } from "./contained-file.js";
import { Git } from "./git.js";
import { Commits } from "./git-commits.js";

/**
 * The deps of `verifyCitations` over the real file system and the real git, which is run with
 * everything off by which a repository could start a program, prompt, lock or fetch.
 *
 * One `git cat-file` a root answers for commits. It never keeps the program alive, and ends after
 * `idleMs` without a question or with `close()`; a look-up after `close()` starts it anew.
 *
 * *Errors*: `INVALID_ARGUMENT`, `UNKNOWN_OPTION` for the options.
 */
export function chatCitationDeps(options: ChatCitationHostOptions = {}): ChatCitationHost {
  const given = checkOptions(options, "options", ["git", "timeoutMs", "idleMs"]);
  const program = given.git === undefined ? "git" : string(given.git, "options.git");
  const timeoutMs = given.timeoutMs === undefined ? 10_000 : integer(given.timeoutMs, "options.timeoutMs", 1, 0x7fffffff);
  const idleMs = given.idleMs === undefined ? 10_000 : integer(given.idleMs, "options.idleMs", 1, 0x7fffffff);
  const git = new Git(program, timeoutMs);
  const repositories = new Map<string, Commits>();

  function readText(abs: string, within?: readonly string[]): string | null {
    try {
      const real = containedFile(abs, within);
      const bytes = real === null ? null : readAtMost(real, LIMITS.MAX_CITED_FILE_BYTES?.value ?? 0);
      return bytes === null || bytes.includes(0) ? null : bytes.toString("utf8");
    } catch {
      return null;
    }
  }

  function commitsExist(absRoot: string, shas: readonly string[]): Promise<CommitCheck[]> {
    let commits = repositories.get(absRoot);
    if (commits === undefined) repositories.set(absRoot, (commits = new Commits(git, absRoot, idleMs)));
    return commits.check(shas);
  }

  const close = (): Promise<void> => git.close();

  return {
    fileExists: (abs, within) => containedFile(abs, within) !== null,
    readLines: (abs, within) => readText(abs, within)?.split("\n") ?? null,
    readText,
    listFiles: (absRoot) => git.listFiles(absRoot),
    commitExists: async (absRoot, sha) => (await commitsExist(absRoot, [sha]))[0] ?? "error",
    commitsExist,
    now: () => Date.now(),
    close,
    [Symbol.asyncDispose]: close,
  };
}
