/** The shapes of a transcript. */
import type { ChatCitationItem } from "./citation-types.js";

/** A repository's directory on this host and the name a reader knows it by. */
export interface ChatRepoRoot {
  /** Absolute path, in POSIX or Windows spelling. */
  readonly absRoot: string;
  /** What takes the path's place in a text, literally. */
  readonly name: string;
}

/** A file or image that came with a message: an object of the host's own type, kept as it is. */
export type ChatAttachment = any;

/** A decision made from a turn: an object of the host's own type, kept as it is. */
export type DecisionView = any;

/** A frame of the host's event stream. Only `chatReply` and `chatDelta` mean something here. */
export interface CoreEvent {
  readonly type: string;
  [field: string]: any;
}

/** What a seat used for one reply. */
export interface ChatUsage {
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheCreationTokens: number;
  costUsd: number | null;
}

interface Stamped {
  /** Milliseconds since the epoch. */
  at: number;
  turnId: string;
}

/** The user's message, with the seats it reached. */
export interface ChatUserRecord extends Stamped {
  kind: "user";
  text: string;
  seats: string[];
  attachments?: ChatAttachment[];
}

/** A preface the seats were given with the turn's message. */
export interface ChatSystemRecord extends Stamped {
  kind: "system";
  text: string;
}

/** A seat's reply. */
export interface ChatSeatRecord extends Stamped {
  kind: "seat";
  cliKey: string;
  text: string;
  ok: boolean;
  usage: ChatUsage | null;
}

/** The verdicts on the citations of a reply of the same turn and seat. */
export interface ChatCitationsRecord extends Stamped {
  kind: "citations";
  cliKey: string;
  verified: number;
  unverifiable: number;
  corrected: number;
  unchecked: number;
  items: ChatCitationItem[];
}

/** The decisions made from a turn. */
export interface ChatDecisionsRecord extends Stamped {
  kind: "decisions";
  items: DecisionView[];
}

/** One line of a transcript. */
export type ChatTranscriptRecord = ChatUserRecord | ChatSystemRecord | ChatSeatRecord | ChatCitationsRecord | ChatDecisionsRecord;

/** A reply with the newest verdicts on it. */
export interface TranscriptReply {
  reply: ChatSeatRecord;
  citations: ChatCitationsRecord | null;
}

/** One turn as a reader sees it. */
export interface TranscriptTurn {
  turnId: string;
  user: ChatUserRecord | null;
  system: ChatSystemRecord[];
  replies: TranscriptReply[];
  /** Of every decisions record of the turn, in append order. */
  decisions: DecisionView[];
  /** Verdicts on a reply that is not there. */
  unattached: ChatCitationsRecord[];
}

/**
 * Why bytes are no record: not UTF-8, not one JSON value, not a record's shape, cut off before its
 * end (a record of another writer may follow it in the same line), or over `MAX_LINE_BYTES`.
 */
export type SkipReason = "encoding" | "json" | "shape" | "torn" | "too-long";

/** A place in the file that is no record. Blank lines and byte order marks are no damage. */
export interface SkippedBytes {
  /** From 1. */
  line: number;
  /** In bytes from the start of the file. */
  byteOffset: number;
  byteLength: number;
  reason: SkipReason;
}

/** What a transcript holds and what in it could not be read. */
export interface TranscriptReport {
  records: ChatTranscriptRecord[];
  /** In file order, at most `MAX_REPORTED_DAMAGE`. */
  skipped: SkippedBytes[];
  /** How many places there are in all. */
  skippedTotal: number;
  /** The storage's reason, such as `EACCES`, when the file could not be read (to its end); else null. */
  unreadable: string | null;
}

/** When an append may return. */
export type FsyncPolicy =
  /** After the write: survives the end of the process, not a power cut. */
  | "never"
  /** After the disk has it: survives a power cut as well. */
  | "always";

/**
 * Where transcripts are kept. Everything is synchronous; a method that throws makes the call throw
 * `STORAGE_FAILED` with the error's `code` or name as `details.reason`.
 */
export interface TranscriptStorage {
  /** Makes the directory, and private; one that is there is made private. */
  ensureDir(dir: string): void;
  /**
   * Appends `line`, which ends in a newline, by one write, after a newline of its own when the
   * file's last byte is not one. A line that does not fit leaves the file as it was, and throws.
   */
  append(path: string, line: Uint8Array, options: { readonly sync: boolean }): void;
  /** Copies bytes from `offset` into `target` and returns how many, 0 at the end; null: no such file. */
  read(path: string, offset: number, target: Uint8Array): number | null;
  /** Null when there is no such file, or no plain one. */
  stat(path: string): { readonly size: number } | null;
  /** The names of the plain files in a directory; none when it is not there. */
  list(dir: string): string[];
  /** Removes a file; one that is not there is no error. */
  remove(path: string): void;
}

/** Options of a {@link ChatTranscriptStore}. */
export interface ChatTranscriptStoreOptions {
  /** The directory; `defaultChatTranscriptsDir()` when absent. It belongs to the store alone. */
  dir?: string;
  /** Milliseconds since the epoch; the system's clock when absent. */
  now?: () => number;
  /** Files, unless given: in a browser one of `./memory` is needed. */
  storage?: TranscriptStorage;
  /** `never` when absent. */
  fsync?: FsyncPolicy;
  /** The info string of a decisions block; `wicked-decisions` when absent. */
  decisionsMarker?: string;
}
