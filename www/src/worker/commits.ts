/** Looks commits up in a tree's own `.git`, in the browser; loaded only when a reply names one. */
import { Buffer } from "buffer";
import type { Tree } from "./tree";

// isomorphic-git expects Node's Buffer to be there.
(globalThis as { Buffer?: unknown }).Buffer = Buffer;
const git = await import("isomorphic-git");

export type CommitAnswer = "present" | "absent" | "error";

export class Commits {
  readonly #repository: { fs: { promises: object }; dir: string; cache: object };
  readonly #tree: Tree;
  #complete?: Promise<boolean>;

  constructor(tree: Tree, directory: string) {
    this.#tree = tree;
    const fs = { promises: readOnlyFiles(tree) };
    this.#repository = { fs, dir: `/${directory}`, cache: {} };
  }

  async exists(id: string): Promise<CommitAnswer> {
    try {
      if (!(await this.#isComplete())) return (await this.#find(id)) === "present" ? "present" : "error";
      return await this.#find(id);
    } catch {
      return "error";
    }
  }

  /** The tracked files, or `null` when there is no readable index. */
  async tracked(): Promise<string[] | null> {
    try {
      return await git.listFiles(this.#repository as never);
    } catch {
      return null;
    }
  }

  async #find(id: string): Promise<CommitAnswer> {
    let candidates: string[];
    try {
      candidates = [await git.expandOid({ ...this.#repository, oid: id.toLowerCase() } as never)];
    } catch (error) {
      if (error instanceof git.Errors.NotFoundError) return "absent";
      if (!(error instanceof git.Errors.AmbiguousError)) return "error";
      candidates = error.data.matches;
    }
    const commits = [];
    for (const oid of candidates) if (await this.#isCommit(oid)) commits.push(oid);
    return commits.length === 1 ? "present" : commits.length === 0 ? "absent" : "error";
  }

  async #isCommit(oid: string): Promise<boolean> {
    try {
      await git.readCommit({ ...this.#repository, oid } as never);
      return true;
    } catch (error) {
      if (error instanceof git.Errors.ObjectTypeError) return false;
      throw error;
    }
  }

  /** Whether a commit that is not found here is really absent: not in a shallow or partial clone, nor where objects are borrowed. */
  #isComplete(): Promise<boolean> {
    this.#complete ??= (async () => {
      const at = `${this.#repository.dir}/.git`;
      const [head, shallow, borrowed, config] = await Promise.all(
        ["HEAD", "shallow", "objects/info/alternates", "config"].map((name) => this.#tree.blob(`${at}/${name}`)),
      );
      return head !== undefined && !shallow && !borrowed && !/promisor\s*=\s*true/i.test((await config?.text()) ?? "");
    })();
    return this.#complete;
  }
}

function missing(path: string): Error {
  return Object.assign(new Error(`no such file: ${path}`), { code: "ENOENT" });
}

/** The part of Node's `fs.promises` that reading needs, over a tree. */
function readOnlyFiles(tree: Tree): object {
  const refuse = async (path: string) => {
    throw Object.assign(new Error(`read only: ${path}`), { code: "EROFS" });
  };
  const stat = async (path: string) => {
    const blob = await tree.blob(path);
    const directory = !blob && (await tree.entries(path)) !== undefined;
    if (!blob && !directory) throw missing(path);
    const times = { ctimeMs: 0, mtimeMs: 0, dev: 0, ino: 0, uid: 0, gid: 0 };
    return { ...times, size: blob?.size ?? 0, mode: directory ? 0o40755 : 0o100644, isFile: () => !directory, isDirectory: () => directory, isSymbolicLink: () => false };
  };
  return {
    stat,
    lstat: stat,
    async readFile(path: string, options?: string | { encoding?: string }) {
      const blob = await tree.blob(path);
      if (!blob) throw missing(path);
      const encoding = typeof options === "string" ? options : options?.encoding;
      return encoding ? blob.text() : new Uint8Array(await blob.arrayBuffer());
    },
    async readdir(path: string) {
      const entries = await tree.entries(path);
      if (!entries) throw missing(path);
      return [...entries.keys()];
    },
    writeFile: refuse,
    mkdir: refuse,
    rmdir: refuse,
    unlink: refuse,
    rm: refuse,
    readlink: refuse,
    symlink: refuse,
  };
}
