/** Which names are commits of a repository. */
import type { CommitCheck } from "../citation-types.js";
import type { Git, GitProcess } from "./git.js";
import { mayLackCommits } from "./git-directory.js";

interface Question {
  readonly names: number;
  readonly lines: string[];
  readonly answer: (lines: string[] | null) => void;
  readonly timer: NodeJS.Timeout;
}

/**
 * One long-lived `git cat-file --batch-check`, started by the first question. It keeps the program
 * alive only while a question is open, and ends when idle.
 */
class Batch {
  readonly #git: Git;
  readonly #root: string;
  readonly #idleMs: number;
  readonly #questions: Question[] = [];
  #child: GitProcess | undefined;
  #rest = "";
  #idle: NodeJS.Timeout | undefined;

  constructor(git: Git, root: string, idleMs: number) {
    this.#git = git;
    this.#root = root;
    this.#idleMs = idleMs;
  }

  /** A line a name, in order, or `null` when git could not be asked. */
  ask(names: readonly string[]): Promise<string[] | null> {
    if (names.length === 0) return Promise.resolve([]);
    clearTimeout(this.#idle);
    return new Promise((answer) => {
      const child = (this.#child ??= this.#start());
      if (child === undefined) {
        answer(null);
        return;
      }
      hold(child, true);
      const timer = setTimeout(() => this.#giveUp(child), this.#git.timeoutMs);
      this.#questions.push({ names: names.length, lines: [], answer, timer });
      child.stdin.write(`${names.join("\n")}\n`);
    });
  }

  #start(): GitProcess | undefined {
    try {
      const child = this.#git.start(this.#root, ["cat-file", "--batch-check=%(objectname) %(objecttype)"]);
      this.#rest = "";
      child.stdout.setEncoding("latin1");
      child.stdout.on("data", (text: string) => this.#read(child, text));
      child.on("error", () => this.#giveUp(child));
      child.on("exit", () => this.#giveUp(child));
      return child;
    } catch {
      return undefined;
    }
  }

  #read(child: GitProcess, text: string): void {
    if (child !== this.#child) return;
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) {
      const question = this.#questions[0];
      // More answers than questions: what it says belongs to nothing.
      if (question === undefined) return this.#giveUp(child);
      question.lines.push(line);
      if (question.lines.length < question.names) continue;
      this.#questions.shift();
      clearTimeout(question.timer);
      question.answer(question.lines);
    }
    if (this.#questions.length > 0) return;
    hold(child, false);
    this.#idle = setTimeout(() => this.#giveUp(child), this.#idleMs).unref();
  }

  /** Open questions are answered `null`; the next one starts a new process. */
  #giveUp(child: GitProcess): void {
    if (child !== this.#child) return;
    this.#child = undefined;
    clearTimeout(this.#idle);
    this.#git.end(child);
    for (const question of this.#questions.splice(0)) {
      clearTimeout(question.timer);
      question.answer(null);
    }
  }
}

/** Whether a child and its pipes keep the program alive. */
function hold(child: GitProcess, held: boolean): void {
  for (const handle of [child, child.stdin, child.stdout] as { ref?(): void; unref?(): void }[]) {
    if (held) handle.ref?.();
    else handle.unref?.();
  }
}

/** Room for a thousand objects of one abbreviation; a person's has two. */
const MAX_NAMES_BYTES = 1 << 16;

const NAME = /^[0-9a-f]{4,64}$/;

/** The commits of one repository. */
export class Commits {
  readonly #git: Git;
  readonly #root: string;
  readonly #batch: Batch;

  constructor(git: Git, root: string, idleMs: number) {
    this.#git = git;
    this.#root = root;
    this.#batch = new Batch(git, root, idleMs);
  }

  /** Whether each name or abbreviation is a commit's, in the order asked. */
  async check(shas: readonly string[]): Promise<CommitCheck[]> {
    const asked = shas.map((sha) => sha.toLowerCase());
    const known = await this.#lookUp([...new Set(asked)].filter((sha) => NAME.test(sha)));
    const unknown = [...known.values()].includes("absent") && mayLackCommits(this.#root) ? "error" : "absent";
    return asked.map((sha) => {
      const found = known.get(sha);
      // What is no name of an object is no commit in any repository.
      return found === undefined ? "absent" : found === "absent" ? unknown : found;
    });
  }

  async #lookUp(shas: readonly string[]): Promise<Map<string, CommitCheck>> {
    const known = new Map<string, CommitCheck>(shas.map((sha) => [sha, "error"]));
    // In the form `git describe` prints, an abbreviation is never taken for a branch or tag of that
    // name, and of several objects that share it the commit wins.
    const described = await this.#batch.ask(shas.map((sha) => `evidence-0-g${sha}`));
    if (described === null) return known;
    const open: string[] = [];
    const candidates = new Map<string, readonly string[]>();
    for (const [index, sha] of shas.entries()) {
      const [name = "", type = ""] = described[index]?.split(" ") ?? [];
      if (!name.startsWith(sha)) open.push(sha);
      else if (type === "tag") candidates.set(sha, [name]);
      else known.set(sha, type === "commit" ? "present" : "absent");
    }
    // "missing" is also said of an abbreviation that several commits share; asked plainly, git tells them apart.
    const plain = await this.#batch.ask(open);
    if (plain === null) return known;
    for (const [index, sha] of open.entries()) {
      const names = plain[index] === `${sha} missing` ? [] : await this.#objectsNamed(sha);
      if (names !== null) candidates.set(sha, names);
    }
    for (const [sha, names] of candidates) {
      const peeled = await this.#batch.ask(names.map((name) => `${name}^{commit}`));
      if (peeled === null) return known;
      known.set(sha, peeled.some((line) => line.endsWith(" commit")) ? "present" : "absent");
    }
    return known;
  }

  /** The full names of all objects that `sha` abbreviates; `null` when git could not tell. Of a name too long git takes only the start. */
  async #objectsNamed(sha: string): Promise<string[] | null> {
    const output = await this.#git.output(this.#root, ["rev-parse", `--disambiguate=${sha}`], MAX_NAMES_BYTES);
    return output?.toString("latin1").split("\n").filter((name) => name.startsWith(sha)) ?? null;
  }
}
