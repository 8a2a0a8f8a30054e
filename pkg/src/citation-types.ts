/** The shapes of the citations part. Offsets are UTF-16 units, half-open, from 0; lines and columns count from 1. */

/** One directory a reply may cite from. */
export interface CitationRoot {
  /** Absolute path of the directory. */
  absRoot: string;
  /** The name replies know it by, which also starts the paths they cite. */
  name: string;
}

/** What class of thing a citation names. */
export type ChatCitationKind = "path" | "line" | "symbol" | "sha" | "rule";

/**
 * The verdict on one citation: `verified` = there, exactly as cited; `corrected` = it exists, but
 * elsewhere; `unverified` = looked for everywhere it may be, and not there; `unchecked` = no claim.
 */
export type ChatCitationStatus = "verified" | "corrected" | "unverified" | "unchecked";

/** Where a citation stands in the text it was extracted from. */
export interface CitationSpan {
  /** Start of its first occurrence. */
  start: number;
  /** One past its last unit: `text.slice(start, end)` is `raw`. */
  end: number;
}

/** A citation as extracted: nothing has been checked. */
export interface RawCitation extends Partial<CitationSpan> {
  /** The citation exactly as it stands in the text. */
  raw: string;
  kind: ChatCitationKind;
  /** The file of a path, line or symbol citation, without quoting, escapes and position. */
  path?: string;
  /** First line cited. */
  line?: number;
  /** Column in the first line. */
  column?: number;
  /** Last line of the first range, when a range was written. */
  endLine?: number;
  /** Column in the last line. */
  endColumn?: number;
  /** Every range of a line citation, both ends inclusive; all must hold. */
  lines?: [first: number, last: number][];
  /** The symbol cited, or the one that introduces a line. */
  symbol?: string;
  /** The alias of the root named before a commit. */
  repo?: string;
  /** The id of a rule citation. */
  ruleId?: string;
  /** The shape is also that of prose (`name.ext` alone): dropped when it resolves nowhere, never counted against a cap. */
  tentative?: boolean;
}

/** What `extractCitations` returns: a `RawCitation` whose place is known. */
export type ExtractedCitation = RawCitation & CitationSpan;

/** Options of `extractCitations`. */
export interface ExtractOptions {
  /** Also take hex runs that are all digits or all letters; they are `tentative`. */
  ambiguousShas?: boolean;
}

/** One citation with its verdict. */
export interface ChatCitationItem extends Partial<CitationSpan> {
  /** The citation exactly as it stands in the text. */
  raw: string;
  kind: ChatCitationKind;
  status: ChatCitationStatus;
  /** Where the thing is, when the status is `corrected`. */
  resolved?: string;
  /** Why, in one short phrase. */
  note?: string;
  /** The symbol cited, or the one that introduces a line: two items may differ in nothing else. */
  symbol?: string;
  /** The `name` of the root in which it was found. */
  root?: string;
  /** The path of the file that was found, relative to that root. */
  file?: string;
}

/** The result of one pass. `items` are in text order and the counts are theirs. */
export interface ChatCitationsResult {
  verified: number;
  /** Items with status `unverified`. */
  unverifiable: number;
  corrected: number;
  unchecked: number;
  items: ChatCitationItem[];
}

/** What a daemon sends its front ends: one frame a reply. */
export interface ChatCitationsFrame extends ChatCitationsResult {
  type: "chatCitations";
  chat: string;
  cliKey: string;
  turn_id?: string;
  project_id?: string;
}

/** Whether a root has a commit: `error` when it could not be found out. */
export type CommitCheck = "present" | "absent" | "error";

/**
 * What verification asks its host. A method may also return a promise; one that throws, rejects, is
 * late or answers nonsense counts as an error for that look-up. `within` names every root of the
 * pass: a host that follows links must not look beyond them.
 */
export interface ChatCitationDeps {
  /** Is this absolute path a file? */
  fileExists(abs: string, within?: readonly string[]): boolean | Promise<boolean>;
  /** The file cut at each `\n`, or `null` when it cannot be read. */
  readLines(abs: string, within?: readonly string[]): string[] | null | Promise<string[] | null>;
  /** The root's files by root-relative path, or `null` when they could not be listed. */
  listFiles(absRoot: string): Promise<string[] | null> | string[] | null;
  /** Is this commit in the root? */
  commitExists(absRoot: string, sha: string): Promise<CommitCheck> | CommitCheck;
  /** Milliseconds since the epoch. */
  now(): number;
  /** All of them at once, in order: one look-up a root instead of one a commit. */
  commitsExist?(absRoot: string, shas: readonly string[]): Promise<readonly CommitCheck[]> | readonly CommitCheck[];
  /** The file as one text, or `null`: spares the host from cutting lines. */
  readText?(abs: string, within?: readonly string[]): string | null | Promise<string | null>;
}

/** A piece of a marked text. The pieces, joined, are the text. */
export interface CitationSegment extends CitationSpan {
  /** The piece, exactly as it stands in the text. */
  text: string;
  /** The item of the result this piece is an occurrence of; the same object. */
  citation?: ChatCitationItem;
}
