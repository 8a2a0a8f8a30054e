/** Transcripts as private files. */
import { readdirSync, realpathSync, unlinkSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import type { TranscriptStorage } from "../transcript-types.js";
import { append, ensureDir, entry, isAbsent, read, refuseLink, stat } from "./private-files.js";

const IS_WINDOWS = process.platform === "win32";

/** What a path really is; throws when it is not there. */
export const realpath = (path: string): string => realpathSync.native(path);

/** `agent-evidence/chats` in the user's state home. */
export function defaultTranscriptsDir(): string {
  const { XDG_STATE_HOME: state, LOCALAPPDATA: local } = process.env;
  const fallback = IS_WINDOWS ? local || join(homedir(), "AppData", "Local") : join(homedir(), ".local", "state");
  return join(state && isAbsolute(state) ? state : fallback, "agent-evidence", "chats");
}

/** Private files below a directory of their own. */
export function nodeTranscriptStorage(): TranscriptStorage {
  return { ensureDir, append, read, stat, list, remove };
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
