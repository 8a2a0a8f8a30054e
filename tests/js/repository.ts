/** Real repositories in a temporary folder. */
import { execFileSync } from "node:child_process";
import { accessSync, constants, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";

/** Every git on this machine. */
export const gits: readonly string[] = [
  ...new Set(
    [...(process.env.PATH ?? "").split(delimiter), "/usr/local/bin", "/usr/bin"].map((folder) => join(folder, "git")).filter(isProgram).map((path) => realpathSync(path)),
  ),
];

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A new folder with links resolved, so that paths may be compared. */
export function temporaryFolder(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), "evidence-")));
}

/** Writes a file and the folders above it. */
export function write(folder: string, path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), content);
}

/** Writes a program. */
export function program(folder: string, name: string, script: string): string {
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return join(folder, name);
}

/** A repository that knows no configuration but its own. */
export class Repository {
  readonly git: string;
  readonly root: string;

  constructor(git: string, root: string, ...options: string[]) {
    this.git = git;
    this.root = root;
    mkdirSync(root, { recursive: true });
    this.run("init", "--quiet", ...options);
  }

  run(...command: string[]): string {
    return this.feed("", ...command);
  }

  feed(input: string | Uint8Array, ...command: string[]): string {
    const person = { NAME: "Ada", EMAIL: "ada@example.com", DATE: "2024-01-02T03:04:05Z" };
    const people = Object.entries(person).flatMap(([name, value]) => [[`GIT_AUTHOR_${name}`, value], [`GIT_COMMITTER_${name}`, value]]);
    const env = { PATH: process.env.PATH, HOME: this.root, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null", ...Object.fromEntries(people) };
    return execFileSync(this.git, ["-c", "protocol.file.allow=always", ...command], { cwd: this.root, env, input, stdio: ["pipe", "pipe", "ignore"], maxBuffer: 1 << 28 }).toString().trim();
  }

  write(path: string, content: string | Uint8Array): void {
    write(this.root, path, content);
  }

  /** Commits everything there is and returns the full name. */
  commit(message: string): string {
    this.run("add", "--all");
    this.run("commit", "--quiet", "--allow-empty", "--message", message);
    return this.run("rev-parse", "HEAD");
  }
}

/** Processes whose parent is this one, with their state (`Z` for a zombie). */
export function children(): { pid: number; state: string; name: string }[] {
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name)).flatMap((pid) => {
    try {
      const [, name = "", state = "", parent] = /^\d+ \((.*)\) (\S) (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, "latin1")) ?? [];
      return Number(parent) === process.pid ? [{ pid: Number(pid), state, name }] : [];
    } catch {
      return [];
    }
  });
}
