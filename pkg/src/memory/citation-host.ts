/** Citations over repositories that are only in memory. */
import type { CommitCheck } from "../citation-types.js";
import type { ChatCitationHost } from "../verify.js";

/** One repository as data. */
export interface MemoryRepository {
  /** The text of each file by its path in the root; `null` for a file that cannot be read as text. */
  files?: Readonly<Record<string, string | null>>;
  /** Files that exist but are not listed. */
  unlisted?: Readonly<Record<string, string | null>>;
  /** Paths that are listed though no file is there any more. */
  deleted?: readonly string[];
  /** Full names of commits, in hex. */
  commits?: readonly string[];
  /** What is not among `commits` may still exist, as in a shallow clone. */
  shallow?: boolean;
}

/** The repositories by the absolute path of their root. */
export interface MemoryCitationOptions {
  roots: Readonly<Record<string, MemoryRepository>>;
  /** Milliseconds, by default the real clock. */
  now?: () => number;
}

/** The deps of `verifyCitations` over `options.roots`: for tests, demos, browsers and other stores. A root that is not there can be neither listed nor searched for commits. */
export function memoryCitationDeps(options: MemoryCitationOptions): ChatCitationHost {
  const contents = new Map<string, string | null>();
  for (const [root, repository] of Object.entries(options.roots)) {
    for (const [path, text] of Object.entries({ ...repository.files, ...repository.unlisted })) contents.set(join(root, path), text);
  }

  const readText = (abs: string): string | null => contents.get(abs) ?? null;

  async function commitsExist(absRoot: string, shas: readonly string[]): Promise<CommitCheck[]> {
    const repository = options.roots[absRoot];
    return shas.map((sha) => {
      if (repository === undefined) return "error";
      if (repository.commits?.some((commit) => commit.toLowerCase().startsWith(sha.toLowerCase()))) return "present";
      return repository.shallow === true ? "error" : "absent";
    });
  }

  const close = async (): Promise<void> => {};

  return {
    fileExists: (abs) => contents.has(abs),
    readLines: (abs) => readText(abs)?.split("\n") ?? null,
    readText,
    listFiles: async (absRoot) => {
      const repository = options.roots[absRoot];
      return repository === undefined ? null : [...Object.keys(repository.files ?? {}), ...(repository.deleted ?? [])];
    },
    commitExists: async (absRoot, sha) => (await commitsExist(absRoot, [sha]))[0] ?? "error",
    commitsExist,
    now: options.now ?? (() => Date.now()),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function join(root: string, path: string): string {
  return root.endsWith("/") ? root + path : `${root}/${path}`;
}
