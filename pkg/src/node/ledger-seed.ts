/** Seeding a session's ledger with keys the tools on this disk will look for: real paths. */
import { lstatSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import * as check from "../check.js";
import { collectObservedPaths, createPathAttributions, type FileKeyResolver, type FileReadTracker, type LedgerReplayReport, type Message, replayObservationLedger, type ReplayOptions } from "../ledger.js";
import { LIMITS } from "../limits.js";

/** Where the session's tools work, and the bounds of the pass. */
export interface SeedOptions extends ReplayOptions {
  readonly workingDirectory: string;
  /** More directories the tools may touch. */
  readonly additionalDirectories?: readonly string[];
  /** The tools work in a sandbox: keys are the paths as written, and no disk is asked. */
  readonly sandboxed?: boolean;
}

/**
 * `replayObservationLedger` with every path resolved through symbolic links, as the tools resolve it. A
 * path that cannot be resolved, or lies outside the directories, has no key. With more spellings than
 * `LIMITS.MAX_SEEDED_SPELLINGS` nothing is established and nothing on disk is asked.
 */
export function seedObservationLedger(messages: readonly Message[], tracker: FileReadTracker, options: SeedOptions): LedgerReplayReport {
  const { workingDirectory, additionalDirectories = [], sandboxed = false, ...replayOptions } = check.object(options, "options") as unknown as SeedOptions;
  check.string(workingDirectory, "options.workingDirectory");
  check.boolean(sandboxed, "options.sandboxed");
  const directories = check.array(additionalDirectories, "options.additionalDirectories").map((directory, index) => check.string(directory, `options.additionalDirectories[${index}]`));
  const attributions = createPathAttributions();
  const replay = (keyOf: FileKeyResolver): LedgerReplayReport => replayObservationLedger(messages, tracker, keyOf, attributions, replayOptions);
  const paths = collectObservedPaths(messages, attributions);
  if (paths.length > (LIMITS.MAX_SEEDED_SPELLINGS?.value ?? 0)) return replay(() => undefined);
  if (sandboxed) return replay((path) => path);
  const roots = [workingDirectory, ...directories].map((directory) => realPath(resolve(directory))).filter((root) => root !== undefined);
  const base = realPath(resolve(workingDirectory));
  return replay((path) => {
    if (base === undefined && !isAbsolute(path)) return undefined;
    const real = realPathOfTarget(resolve(base ?? sep, path));
    return real !== undefined && roots.some((root) => contains(root, real)) ? real : undefined;
  });
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

/** The real path of a file that need not exist any more: of its nearest ancestor that does, and the rest. */
function realPathOfTarget(path: string): string | undefined {
  const missing: string[] = [];
  for (let ancestor = path; ; ancestor = dirname(ancestor)) {
    const real = realPath(ancestor);
    if (real !== undefined) return join(real, ...missing);
    // Something is there and leads nowhere: a dangling link, a loop, a directory that may not be entered.
    if (exists(ancestor) || dirname(ancestor) === ancestor) return undefined;
    missing.unshift(basename(ancestor));
  }
}

function exists(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code !== "ENOENT" && code !== "ENOTDIR";
  }
}

function contains(root: string, path: string): boolean {
  const rest = relative(root, path);
  return rest !== ".." && !rest.startsWith(`..${sep}`) && !isAbsolute(rest);
}
