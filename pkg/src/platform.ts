/** What only a platform can provide: the Node entries register theirs, a browser has none. */
import { EvidenceError } from "./errors.js";
import type { ResolveCitationDeps } from "./resolve.js";
import type { TranscriptStorage } from "./transcript-types.js";
import type { ChatCitationHost, ChatCitationHostOptions } from "./verify.js";

/** Registered by an entry; each part adds what it needs a default for. */
export interface Platform {
  realpath(path: string): string;
  transcriptsDir(): string;
  transcriptStorage(): TranscriptStorage;
  chatCitationDeps(options: ChatCitationHostOptions): ChatCitationHost;
  documentLibrary(options: { rootDir?: string | undefined; scope?: string | undefined }): ResolveCitationDeps;
  currentDirectory(): string;
}

let platform: Partial<Platform> = {};

/** Adds a platform's defaults. */
export function registerPlatform(defaults: Partial<Platform>): void {
  platform = { ...platform, ...defaults };
}

/** A default, or `HOST_REQUIRED` naming the argument to pass instead. */
export function platformDefault<K extends keyof Platform>(name: K, field: string): NonNullable<Platform[K]> {
  const value = platform[name];
  if (value === undefined) {
    throw new EvidenceError("HOST_REQUIRED", `There is no default for ${field} on this platform: pass one, for example from "agent-evidence/memory".`, { field });
  }
  return value as NonNullable<Platform[K]>;
}

/** Where relative paths start: the process's directory, or the root where there is no process. */
export function currentDirectory(): string {
  return platform.currentDirectory?.() ?? "/";
}

/** A default, or undefined where the platform has none and the call can do without. */
export function optionalDefault<K extends keyof Platform>(name: K): Platform[K] | undefined {
  return platform[name];
}
