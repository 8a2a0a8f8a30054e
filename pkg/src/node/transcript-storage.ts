/** Transcripts as private files. */
import { closeSync, constants, fchmodSync, fstatSync, fsyncSync, ftruncateSync, lstatSync, mkdirSync, openSync, readdirSync, readSync, realpathSync, unlinkSync, writeSync, type Stats } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import type { TranscriptStorage } from "../transcript-types.js";

const IS_WINDOWS = process.platform === "win32";
// Absent on Windows, where links are looked for by hand. A pipe in a file's place must not block.
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
const NO_WAIT = constants.O_NONBLOCK ?? 0;
const PRIVATE_DIRECTORY = 0o700;
const PRIVATE_FILE = 0o600;
const OTHERS = 0o077;
const STICKY = 0o1000;
const NEWLINE = 0x0a;

/** What a path really is; throws when it is not there. */
export const realpath = (path: string): string => realpathSync.native(path);

/** `agent-evidence/chats` in the user's state home. */
export function defaultTranscriptsDir(): string {
  const { XDG_STATE_HOME: state, LOCALAPPDATA: local } = process.env;
  const fallback = IS_WINDOWS ? local || join(homedir(), "AppData", "Local") : join(homedir(), ".local", "state");
  return join(state && isAbsolute(state) ? state : fallback, "agent-evidence", "chats");
}

/**
 * Files below a directory of their own: the directory 0700, each file 0600, also where they were
 * looser; no symbolic link is followed. On Windows the user's profile keeps them private instead.
 */
export function nodeTranscriptStorage(): TranscriptStorage {
  return { ensureDir, append, read, stat, list, remove };
}

function ensureDir(dir: string): void {
  if (dirname(dir) === dir) throw fault("TOP_DIRECTORY");
  if (entry(dir) === null) mkdirSync(dir, { recursive: true, mode: PRIVATE_DIRECTORY });
  refuseLink(dir);
  if (IS_WINDOWS) return;
  const fd = openSync(dir, constants.O_RDONLY | constants.O_DIRECTORY | NO_FOLLOW);
  try {
    const { mode } = fstatSync(fd);
    // Everyone's by design, such as /tmp: closing it would lock all others out.
    if (mode & STICKY) throw fault("SHARED_DIRECTORY");
    if (mode & OTHERS) fchmodSync(fd, PRIVATE_DIRECTORY);
  } finally {
    closeSync(fd);
  }
}

function append(path: string, line: Uint8Array, { sync }: { readonly sync: boolean }): void {
  withFile(path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT, (fd, { mode, size }) => {
    if (!IS_WINDOWS && mode & OTHERS) fchmodSync(fd, PRIVATE_FILE);
    const bytes = size === 0 || lastByte(fd, size) === NEWLINE ? line : Buffer.concat([Uint8Array.of(NEWLINE), line]);
    const written = writeSync(fd, bytes);
    if (written < bytes.length) {
      // What another writer has appended since is not ours to cut off; its reader finds it.
      if (fstatSync(fd).size === size + written) ftruncateSync(fd, size);
      throw fault("SHORT_WRITE");
    }
    if (sync) {
      fsyncSync(fd);
      if (size === 0) syncDirectory(dirname(path));
    }
  });
}

function read(path: string, offset: number, target: Uint8Array): number | null {
  try {
    return withFile(path, constants.O_RDONLY, (fd, { mode }) => {
      if (!IS_WINDOWS && mode & OTHERS) {
        try {
          fchmodSync(fd, PRIVATE_FILE);
        } catch {
          // Another user's file, or a read-only disk: it can be read all the same.
        }
      }
      return readSync(fd, target, 0, target.length, offset);
    });
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}

function stat(path: string): { size: number } | null {
  const found = entry(path);
  return found?.isFile() ? { size: found.size } : null;
}

function list(dir: string): string[] {
  if (entry(dir) === null) return [];
  refuseLink(dir);
  return readdirSync(dir, { withFileTypes: true }).filter((found) => found.isFile()).map((found) => found.name);
}

function remove(path: string): void {
  if (entry(path) === null) return;
  refuseLink(dirname(path));
  try {
    unlinkSync(path);
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
}

function withFile<T>(path: string, flags: number, run: (fd: number, stats: Stats) => T): T {
  refuseLink(dirname(path));
  if (NO_FOLLOW === 0) refuseLink(path);
  const fd = openSync(path, flags | NO_FOLLOW | NO_WAIT, PRIVATE_FILE);
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) throw fault("NOT_A_FILE");
    return run(fd, stats);
  } finally {
    closeSync(fd);
  }
}

function lastByte(fd: number, size: number): number {
  const byte = new Uint8Array(1);
  readSync(fd, byte, 0, 1, size - 1);
  return byte[0]!;
}

// A new name is on the disk only when its directory is.
function syncDirectory(dir: string): void {
  if (IS_WINDOWS) return;
  const fd = openSync(dir, constants.O_RDONLY);
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function entry(path: string): Stats | null {
  try {
    return lstatSync(path);
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}

function refuseLink(path: string): void {
  if (entry(path)?.isSymbolicLink()) throw fault("ELOOP");
}

function isAbsent(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ENOENT";
}

function fault(code: string): Error {
  return Object.assign(new Error(code), { code });
}
