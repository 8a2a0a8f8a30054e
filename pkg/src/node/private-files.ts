/**
 * Private append-only files: the directory 0700, each file 0600, also where they were looser; no
 * symbolic link is followed. On Windows the user's profile keeps them private instead.
 */
import { closeSync, constants, fchmodSync, fstatSync, fsyncSync, ftruncateSync, lstatSync, mkdirSync, openSync, readSync, type Stats, writeSync } from "node:fs";
import { dirname } from "node:path";

const IS_WINDOWS = process.platform === "win32";
// Absent on Windows, where links are looked for by hand. A pipe in a file's place must not block.
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
const NO_WAIT = constants.O_NONBLOCK ?? 0;
const PRIVATE_DIRECTORY = 0o700;
/** What a private file may be: read and written by its owner. */
export const PRIVATE_FILE = 0o600;
const OTHERS = 0o077;
const STICKY = 0o1000;
const NEWLINE = 0x0a;

/** Makes the directory, or makes it private. */
export function ensureDir(dir: string): void {
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

/** One write for the line and, behind a torn record, a newline before it; a short one is taken back. */
export function append(path: string, line: Uint8Array, { sync }: { readonly sync: boolean }): void {
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

/** Fills `target` with the file's bytes from `offset` on; answers how many there were, null when there is no file. */
export function read(path: string, offset: number, target: Uint8Array): number | null {
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

/** The length of a regular file, or null. */
export function stat(path: string): { size: number } | null {
  const found = entry(path);
  return found?.isFile() ? { size: found.size } : null;
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

/** What lies at `path` itself, or null. */
export function entry(path: string): Stats | null {
  try {
    return lstatSync(path);
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}

/** Throws for a symbolic link. */
export function refuseLink(path: string): void {
  if (entry(path)?.isSymbolicLink()) throw fault("ELOOP");
}

/** True for the error of a path that is not there. */
export function isAbsent(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ENOENT";
}

function fault(code: string): Error {
  return Object.assign(new Error(code), { code });
}
