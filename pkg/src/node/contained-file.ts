/** Files, as far as they really lie in the roots. */
import { closeSync, constants, fstatSync, openSync, readSync, realpathSync, statSync } from "node:fs";
import { isAbsolute, relative, sep } from "node:path";

const ABSENT = new Set(["ENOENT", "ENOTDIR", "ELOOP", "ENAMETOOLONG", "ERR_INVALID_ARG_VALUE"]);

/**
 * The real path of the regular file `abs`, or `null` when there is none. Throws when the path leads
 * out of every root of `within`, or cannot be looked at.
 */
export function containedFile(abs: string, within: readonly string[] | undefined): string | null {
  try {
    const real = realpathSync.native(abs);
    if (!statSync(real).isFile()) return null;
    if (within !== undefined && !within.some((root) => isInside(real, root))) throw new Error(`${abs} leads out of the roots.`);
    return real;
  } catch (error) {
    if (ABSENT.has((error as NodeJS.ErrnoException).code ?? "")) return null;
    throw error;
  }
}

function isInside(real: string, root: string): boolean {
  let base: string;
  try {
    base = realpathSync.native(root);
  } catch {
    return false;
  }
  const path = relative(base, real);
  return path !== "" && path !== ".." && !path.startsWith(`..${sep}`) && !isAbsolute(path);
}

/** The bytes of the file at the real path `real`, or `null` when there are more than `limit`. */
export function readAtMost(real: string, limit: number): Buffer | null {
  // The path was real a moment ago: a link or a pipe put there since is neither followed nor waited for.
  const file = openSync(real, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  try {
    const { size } = fstatSync(file);
    if (!fstatSync(file).isFile() || size > limit) return null;
    // One byte more than promised, so that a file that grew, or one that says 0 as in /proc, is seen whole or not at all.
    let buffer = Buffer.allocUnsafe(size + 1);
    let filled = 0;
    for (;;) {
      const count = readSync(file, buffer, filled, buffer.length - filled, null);
      if (count === 0) return buffer.subarray(0, filled);
      filled += count;
      if (filled > limit) return null;
      if (filled === buffer.length) buffer = Buffer.concat([buffer], Math.min(2 * filled + 4096, limit + 1));
    }
  } finally {
    closeSync(file);
  }
}
