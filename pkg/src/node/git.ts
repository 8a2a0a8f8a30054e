/** Git as a witness: it answers questions about a repository and is given no way to do anything else. */
import { spawn, type ChildProcess, type ChildProcessByStdio } from "node:child_process";
import { devNull } from "node:os";
import type { Readable, Writable } from "node:stream";
import { LIMITS } from "../limits.js";

/** A running git. */
export type GitProcess = ChildProcessByStdio<Writable, Readable, null>;

/** Variables of git that a person sets about a machine; all others steer git to another repository or program. */
const KEPT_VARIABLES = ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_EXEC_PATH", "GIT_DISCOVERY_ACROSS_FILESYSTEM"];

const VARIABLES = {
  LC_ALL: "C",
  GIT_OPTIONAL_LOCKS: "0",
  // A partial clone would fetch what it lacks: not from here, and an older git finds no transport to try.
  GIT_NO_LAZY_FETCH: "1",
  GIT_ALLOW_PROTOCOL: "none",
  GIT_TERMINAL_PROMPT: "0",
  GIT_ASKPASS: "",
  SSH_ASKPASS: "",
  GIT_PAGER: "",
  GIT_NO_REPLACE_OBJECTS: "1",
};

/** What a repository's own configuration may not decide: it comes with the repository, and may be hostile. */
const SETTINGS = ["core.fsmonitor=false", `core.hooksPath=${devNull}`, "core.disambiguate=none", "protocol.allow=never"];

const IN_A_GROUP = process.platform !== "win32";

/** Starts git safely, and knows every process it started until that is gone. */
export class Git {
  readonly #program: string;
  readonly #timeoutMs: number;
  readonly #running = new Set<GitProcess>();

  constructor(program: string, timeoutMs: number) {
    this.#program = program;
    this.#timeoutMs = timeoutMs;
  }

  /** Milliseconds until a process that does not answer is ended. */
  get timeoutMs(): number {
    return this.#timeoutMs;
  }

  /** Starts `git <command>` in `root`; throws what `spawn` throws. */
  start(root: string, command: readonly string[]): GitProcess {
    // `-C ""` would mean the directory this program happens to run in.
    if (root === "") throw new Error("A root has a path.");
    const kept = Object.entries(process.env).filter(([name]) => !/^GIT_/i.test(name) || KEPT_VARIABLES.includes(name));
    const settings = SETTINGS.flatMap((setting) => ["-c", setting]);
    const child = spawn(this.#program, ["--no-pager", "--no-optional-locks", ...settings, "-C", root, ...command], {
      stdio: ["pipe", "pipe", "ignore"],
      env: { ...Object.fromEntries(kept), ...VARIABLES },
      // A group of its own: no terminal to prompt on, and whatever git started ends with it.
      detached: IN_A_GROUP,
      windowsHide: true,
    });
    // Told to whoever asks; but it must have a listener even when the pipes could not be made.
    child.on("error", () => {});
    if (child.pid !== undefined) {
      this.#running.add(child);
      child.once("exit", () => this.#running.delete(child));
    }
    // A pipe that breaks is told by the end of the process.
    child.stdin.on("error", () => {});
    return child;
  }

  /** Ends a process and whatever it started. */
  end(child: GitProcess): void {
    if (!this.#running.has(child) || child.pid === undefined) return;
    try {
      if (IN_A_GROUP) process.kill(-child.pid, "SIGKILL");
      else child.kill("SIGKILL");
    } catch {
      child.kill("SIGKILL");
    }
  }

  /** What a command prints, or `null` when it failed, hung, could not be started or printed more than `most` bytes. */
  output(root: string, command: readonly string[], most: number): Promise<Buffer | null> {
    return new Promise((answer) => {
      let child: GitProcess;
      try {
        child = this.start(root, command);
      } catch {
        answer(null);
        return;
      }
      const timer = setTimeout(() => this.end(child), this.#timeoutMs);
      const finish = (output: Buffer | null): void => {
        clearTimeout(timer);
        answer(output);
      };
      const chunks: Buffer[] = [];
      let bytes = 0;
      child.stdin.end();
      child.stdout.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > most) this.end(child);
        else chunks.push(chunk);
      });
      child.on("error", () => finish(null));
      child.on("close", (code) => finish(code === 0 ? Buffer.concat(chunks) : null));
    });
  }

  /** Files of the work tree under `root`, tracked or new and not ignored; `null` when they could not be listed. */
  async listFiles(root: string): Promise<string[] | null> {
    const output = await this.output(root, ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], LIMITS.MAX_LISTING_BYTES?.value ?? 0);
    if (output === null) return null;
    // A path in conflict is listed once a stage; a repository inside this one is listed as a folder.
    const paths = new Set(output.toString("utf8").split("\0"));
    return [...paths].filter((path) => path !== "" && !path.endsWith("/"));
  }

  /** Ends every process and waits until it is gone. */
  async close(): Promise<void> {
    const ends = [...this.#running].map((child: ChildProcess) => {
      child.ref();
      return new Promise<void>((resolve) => child.once("exit", () => resolve()));
    });
    for (const child of this.#running) this.end(child);
    await Promise.all(ends);
  }
}
