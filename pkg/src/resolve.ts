/** From a citation written down back to its passage. */
import { citationUrl, type ChunkSpan } from "./anchors.js";
import * as check from "./check.js";
import { callAsync, Unpacker } from "./engine.js";
import { platformDefault } from "./platform.js";

/** Where a captured document came from. */
export interface CaptureProvenance {
  url?: string;
  /** The address the page gives itself; `resolveCitation` finds the document by it. */
  canonicalUrl?: string;
  title?: string;
  /** When it was captured, as the capturing tool wrote it (ISO 8601 by custom). */
  capturedAt?: string;
  /** The tool or feed that captured it. */
  source?: string;
  [name: string]: unknown;
}

/** What a library knows of a document besides its text. */
export interface DocumentInfo {
  /** `<scope>:<filePath>`. */
  docId: string;
  filePath: string;
  scope: string;
  version?: number;
  provenance?: CaptureProvenance;
  [name: string]: unknown;
}

/** Where `resolveCitation` finds documents. A method that throws, rejects or answers another type is `HOST_FAILED`. */
export interface ResolveCitationDeps<D extends DocumentInfo = DocumentInfo> {
  /** The document a path, canonical URL or docId names, or null. */
  findDocument(target: string): D | null | undefined | Promise<D | null | undefined>;
  /** The document's text as it is now, or null when its file is gone. Offsets refer to exactly this string. */
  extractText(document: D): string | null | undefined | Promise<string | null | undefined>;
  /** The document's chunks; without it the text is cut by `chunkSpans`. */
  chunkSpans?(document: D, text: string): readonly ChunkSpan[] | null | undefined | Promise<readonly ChunkSpan[] | null | undefined>;
  /** The stored text of an older version, by the start of its content hash; null when it was not kept. */
  olderText?(document: D, hashPrefix: string): string | null | undefined | Promise<string | null | undefined>;
}

/** What was written down of the citation. */
export interface ResolveCitationOptions {
  /** Where the default index of the platform lies (Node: `<rootDir>/.agent-evidence`); ignored with `deps`. */
  rootDir?: string;
  /** Narrows the search of the default index; ignored with `deps`. */
  scope?: string;
  /** A chunk as a search hit names it, from 0; 0 when neither anchor nor quote is given. */
  chunkIndex?: number;
  /** An anchor; goes before `chunkIndex`. */
  anchor?: string;
  /** The words cited: they find a stale anchor's passage again, or stand alone. */
  quote?: string;
  /** The words before the quote. */
  prefix?: string;
  /** The words after the quote. */
  suffix?: string;
}

/** How a stale anchor's passage was found again. */
export interface Relocation {
  /** From `LIMITS.MIN_RELOCATION_PERCENT` / 100 to 1. */
  score: number;
  /** The same characters; the same words; most of the words in order. */
  method: "exact" | "normalised" | "approximate";
}

/** A passage, where it is and how far it can be trusted. *Units*: UTF-16 offsets of the extracted text. */
export interface Citation {
  /** `<scope>:<filePath>`. */
  docId: string;
  filePath: string;
  scope: string;
  /** The chunk the passage begins in; -1 when it is no longer there. */
  chunkIndex: number;
  startChar: number;
  endChar: number;
  /** SHA-256 of the text as it is now. */
  contentHash: string;
  /** The anchor of the passage as it is now; the asked one when it is no longer there. */
  anchor: string;
  /** The passage: cut from the text as it is now, or as it was cited when it is no longer there. */
  passage: string;
  /** The head of the passage, for quotation marks. */
  quote: string;
  /** The anchor names another version. Without `relocated` the passage must not be taken for what was cited. */
  stale?: boolean;
  /** The anchor that was asked for, when it is stale. */
  citedAnchor?: string;
  /** The stale anchor's passage was found again by its words. */
  relocated?: Relocation;
  /** So many places fit the cited words equally well; none was chosen. */
  ambiguous?: number;
  /** The cited words are no longer in the document. */
  gone?: boolean;
  version?: number;
  title?: string;
  url?: string;
  /** `url` with a text fragment: the link that lands on the passage. Absent when the passage is not known to be there. */
  citeUrl?: string;
  capturedAt?: string;
  source?: string;
  provenance?: CaptureProvenance;
}

const OPTIONS = ["rootDir", "scope", "chunkIndex", "anchor", "quote", "prefix", "suffix"] as const;

/**
 * Finds the passage a citation names: by anchor, by words, or by chunk.
 *
 * *Errors*: `NOT_INDEXED`, `FILE_GONE`, `NO_TEXT`, `MALFORMED_ANCHOR`, `ANCHOR_OUTSIDE_DOCUMENT`, `CHUNK_OUT_OF_RANGE`,
 * `QUOTE_NOT_FOUND`, `HOST_FAILED`, and `HOST_REQUIRED` where the platform has no default index.
 */
export async function resolveCitation(target: string, opts?: ResolveCitationOptions, deps?: ResolveCitationDeps): Promise<Citation> {
  check.string(target, "target");
  const given = check.options(opts, "opts", OPTIONS) as ResolveCitationOptions;
  for (const name of ["rootDir", "scope", "anchor", "quote", "prefix", "suffix"] as const) {
    if (given[name] !== undefined) check.string(given[name], `opts.${name}`);
  }
  if (given.chunkIndex !== undefined) check.integer(given.chunkIndex, "opts.chunkIndex");
  const library = deps === undefined
    ? platformDefault("documentLibrary", "deps")({ rootDir: given.rootDir, scope: given.scope })
    : check.host<ResolveCitationDeps>(deps, "deps", ["findDocument", "extractText"]);

  const answer = await callAsync((engine) => engine.resolve_citation(library, target, given.chunkIndex, given.anchor, given.quote, given.prefix, given.suffix)) as [DocumentInfo, string, unknown[], number];
  return build(given, ...answer);
}

function build(given: ResolveCitationOptions, document: DocumentInfo, text: string, packed: unknown[], number: number): Citation {
  const row = new Unpacker(packed);
  const contentHash = row.text();
  const anchor = row.text();
  const words = row.text();
  const quote = row.text();
  const chunkIndex = row.optional() ?? -1;
  const startChar = row.number();
  const endChar = row.number();
  const standing = row.text();
  const method = row.text() as Relocation["method"];

  const lost = standing === "gone" || standing === "ambiguous";
  // The slice keeps what the engine cannot carry: lone surrogates.
  const passage = lost ? words : text.slice(startChar, endChar);
  const { docId, filePath, scope, version, provenance } = document;
  const citation: Citation = { docId, filePath, scope, chunkIndex, startChar, endChar, contentHash, anchor, passage, quote };
  if (standing !== "current") Object.assign(citation, { stale: true, citedAnchor: given.anchor });
  if (standing === "relocated") citation.relocated = { score: number, method };
  if (standing === "ambiguous") citation.ambiguous = number;
  if (standing === "gone") citation.gone = true;
  if (version !== undefined) citation.version = version;
  if (provenance) {
    const { title, capturedAt, source } = provenance;
    const url = provenance.canonicalUrl ?? provenance.url;
    const found = standing === "current" || standing === "relocated";
    const citeUrl = found ? citationUrl(url, passage, { document: text, startChar }) : undefined;
    const known = Object.entries({ title, url, citeUrl, capturedAt, source, provenance }).filter(([, value]) => value !== undefined);
    Object.assign(citation, Object.fromEntries(known));
  }
  return citation;
}
