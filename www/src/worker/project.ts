/** The project a reply is checked against, and what `verifyCitations` may ask about it. */
import type { ChatCitationDeps, CitationRoot } from "agent-evidence";
import type { Commits } from "./commits";
import { openTree, type FolderSource, type Tree } from "./tree";

const MAX_FILE_BYTES = 16 * 1024 * 1024;
const MAX_LISTED = 100_000;
/** Never listed when there is no git index to say what belongs to the project. */
const HEAVY = new Set([".git", "node_modules", "target", ".venv", "__pycache__"]);

interface Repository extends CitationRoot {
  directory: string;
  hasGit: boolean;
}

export interface ProjectSummary {
  name: string;
  roots: { name: string; hasGit: boolean }[];
}

export class Project {
  readonly #tree: Tree;
  readonly #repositories: readonly Repository[];
  readonly #commits = new Map<string, Promise<Commits>>();
  readonly #listings = new Map<string, Promise<string[] | null>>();

  private constructor(tree: Tree, repositories: readonly Repository[]) {
    this.#tree = tree;
    this.#repositories = repositories;
  }

  /** Opens a folder; one without a `.git` whose subfolders have one is opened as several roots. */
  static async open(source: FolderSource): Promise<Project> {
    const tree = await openTree(source);
    const top = (await tree.entries("")) ?? new Map();
    if (top.size === 0) throw new Error("There is no file in it.");
    const repository = async (directory: string, name: string): Promise<Repository> => ({
      name,
      directory,
      absRoot: `/${tree.name}${directory && `/${directory}`}`,
      hasGit: (await tree.blob(`${directory}/.git/HEAD`)) !== undefined,
    });
    const whole = await repository("", tree.name);
    if (whole.hasGit) return new Project(tree, [whole]);
    const nested = await Promise.all([...top].filter(([, kind]) => kind === "directory").map(([name]) => repository(name, name)));
    const repositories = nested.filter((each) => each.hasGit);
    return new Project(tree, repositories.length > 0 ? repositories : [whole]);
  }

  get roots(): readonly CitationRoot[] {
    return this.#repositories.map(({ absRoot, name }) => ({ absRoot, name }));
  }

  get summary(): ProjectSummary {
    return { name: this.#tree.name, roots: this.#repositories.map(({ name, hasGit }) => ({ name, hasGit })) };
  }

  /** A file's text by root name and path, or `null` when it is missing, too big or binary. */
  async text(root: string, path: string): Promise<string | null> {
    const repository = this.#repositories.find(({ name }) => name === root);
    return repository ? this.#read(`${repository.directory}/${path}`) : null;
  }

  /** The answers for one pass; `now` is the pass's own clock. */
  deps(now: () => number, pause: () => Promise<void>): ChatCitationDeps {
    const readText = async (abs: string) => {
      await pause();
      const path = this.#inside(abs);
      return path === undefined ? null : this.#read(path);
    };
    const deps: ChatCitationDeps = {
      fileExists: async (abs: string) => {
        await pause();
        const path = this.#inside(abs);
        return path !== undefined && (await this.#tree.blob(path)) !== undefined;
      },
      readLines: async (abs) => (await readText(abs))?.split("\n") ?? null,
      readText,
      listFiles: (absRoot: string) => this.#list(absRoot),
      commitExists: async (absRoot: string, id: string) => {
        await pause();
        const repository = this.#repositories.find((each) => each.absRoot === absRoot);
        return repository?.hasGit ? (await this.#commitsOf(repository)).exists(id) : "error";
      },
      now,
    };
    return deps;
  }

  #inside(abs: string): string | undefined {
    const repository = this.#repositories.find(({ absRoot }) => abs.startsWith(`${absRoot}/`));
    return repository && `${repository.directory}${abs.slice(repository.absRoot.length)}`;
  }

  async #read(path: string): Promise<string | null> {
    const blob = await this.#tree.blob(path);
    if (!blob || blob.size > MAX_FILE_BYTES) return null;
    const bytes = new Uint8Array(await blob.arrayBuffer());
    return bytes.subarray(0, 8_000).includes(0) ? null : new TextDecoder().decode(bytes);
  }

  #commitsOf(repository: Repository): Promise<Commits> {
    let commits = this.#commits.get(repository.absRoot);
    if (!commits) {
      commits = import("./commits").then(({ Commits }) => new Commits(this.#tree, repository.directory));
      this.#commits.set(repository.absRoot, commits);
    }
    return commits;
  }

  #list(absRoot: string): Promise<string[] | null> {
    let listing = this.#listings.get(absRoot);
    if (!listing) {
      const repository = this.#repositories.find((each) => each.absRoot === absRoot);
      listing = repository ? this.#listed(repository) : Promise.resolve(null);
      this.#listings.set(absRoot, listing);
    }
    return listing;
  }

  async #listed(repository: Repository): Promise<string[] | null> {
    const tracked = repository.hasGit ? await (await this.#commitsOf(repository)).tracked() : null;
    return tracked ?? this.#walk(repository.directory);
  }

  async #walk(top: string): Promise<string[] | null> {
    const found: string[] = [];
    const waiting = [""];
    for (let directory = waiting.pop(); directory !== undefined; directory = waiting.pop()) {
      // Half a listing would call what it lacks missing.
      if (found.length > MAX_LISTED) return null;
      for (const [name, kind] of (await this.#tree.entries(`${top}/${directory}`)) ?? []) {
        const path = directory ? `${directory}/${name}` : name;
        if (kind === "file") found.push(path);
        else if (!HEAVY.has(name)) waiting.push(path);
      }
    }
    return found;
  }
}
