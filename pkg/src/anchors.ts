/** Anchors: quotes and links that land on the passage. */
import * as check from "./check.js";
import { call, currentGeneration, putText, putTexts, Unpacker } from "./engine.js";

export { EvidenceError, type EvidenceErrorCode, type EvidenceErrorDetails } from "./errors.js";
export { init, type InitSource } from "./init.js";
export { LIMITS, type Limit } from "./limits.js";
export * from "./resolve.js";

/** What a span tag begins with. */
export const SPAN_TAG_PREFIX = "span:";

/** One chunk of a document. *Units*: UTF-16, half-open, from 0. */
export interface ChunkSpan {
  /** Its number in the document, from 0. */
  chunkIndex: number;
  startChar: number;
  endChar: number;
}

/** A citation anchor read back. *Units*: UTF-16. */
export interface CitationAnchor {
  /** The first 12 hex digits of the SHA-256 of the extracted text. */
  hashPrefix: string;
  startChar: number;
  endChar: number;
}

/** Where a passage comes from. */
export interface TextFragmentOptions {
  /** The whole markdown document: the link is then made unique in it. */
  document?: string;
  /** Where the passage begins in `document`. *Units*: UTF-16. */
  startChar?: number;
}

/** How to cut chunks. */
export interface ChunkSpansOptions {
  /** The most UTF-16 units of a chunk; `LIMITS.DEFAULT_CHUNK_CHARS` if absent. */
  maxChars?: number;
}

/** The tag `span:<start>-<end>`. *Errors*: `INVALID_ARGUMENT` when the end lies before the start. */
export function spanTag(startChar: number, endChar: number): string {
  check.integer(startChar, "startChar");
  check.integer(endChar, "endChar");
  return call((engine) => engine.span_tag(startChar, endChar));
}

/** The offsets of the first well-formed span tag, or null. */
export function parseSpanTag(tags: readonly string[] | undefined): { startChar: number; endChar: number } | null {
  if (tags === undefined || tags === null) return null;
  const texts = check.array(tags, "tags").map((tag, index) => check.string(tag, `tags[${index}]`));
  const span = call((engine) => engine.parse_span_tag(putTexts(engine, texts)));
  return span ? { startChar: span[0] as number, endChar: span[1] as number } : null;
}

/**
 * The anchor `<hash12>#<start>-<end>`, which binds offsets to the version of the text they were measured in.
 * *Errors*: `INVALID_ARGUMENT` for what `parseCitationAnchor` would not give back.
 */
export function citationAnchor(contentHash: string, startChar: number, endChar: number): string {
  check.string(contentHash, "contentHash");
  check.integer(startChar, "startChar");
  check.integer(endChar, "endChar");
  return call((engine) => engine.citation_anchor(contentHash, startChar, endChar));
}

/** The parts of an anchor, or null when it is not one. */
export function parseCitationAnchor(anchor: string): CitationAnchor | null {
  check.string(anchor, "anchor");
  const packed = call((engine) => engine.parse_citation_anchor(anchor));
  if (!packed) return null;
  const row = new Unpacker(packed);
  return { hashPrefix: row.text(), startChar: row.number(), endChar: row.number() };
}

/** True when the anchor was cut from the version with this content hash. */
export function anchorMatchesHash(anchor: string, contentHash: string): boolean {
  check.string(anchor, "anchor");
  check.string(contentHash, "contentHash");
  return call((engine) => engine.anchor_matches_hash(anchor, contentHash));
}

/**
 * The words of a markdown passage as a reader sees them, on one line. Lines that start with `§ ` are dropped;
 * with `skipHeadings` headings too, unless there is nothing else.
 */
export function passageProse(passage: string, skipHeadings = false): string {
  check.string(passage, "passage");
  check.boolean(skipHeadings, "skipHeadings");
  return call((engine) => engine.passage_prose(putText(engine, passage), skipHeadings));
}

/**
 * The head of the passage's prose: whole sentences where they fit, else whole words and an ellipsis.
 * *Bounds*: `maxChars` UTF-16 units, `LIMITS.DEFAULT_QUOTE_CHARS` if absent.
 */
export function passageQuote(passage: string, maxChars?: number): string {
  check.string(passage, "passage");
  if (maxChars !== undefined) check.integer(maxChars, "maxChars");
  return call((engine) => engine.passage_quote(putText(engine, passage), maxChars));
}

/**
 * The text fragment (`:~:text=...`) that makes a browser scroll to the passage; empty when it has no words.
 * With `document` it is made unique there; `startChar` says which of several equal passages is meant.
 * *Bounds*: `LIMITS.MAX_FRAGMENT_BYTES`. *Errors*: only for wrong types.
 */
export function textFragment(passage: string, options?: TextFragmentOptions): string {
  check.string(passage, "passage");
  const { document, startChar } = check.options(options, "options", ["document", "startChar"]);
  if (startChar !== undefined) check.integer(startChar, "options.startChar");
  if (document === undefined) return call((engine) => engine.text_fragment(putText(engine, passage)));
  const source = check.string(document, "options.document");
  return call((engine) => {
    if (lastDocument?.source !== source || lastDocument.generation !== currentGeneration()) {
      lastDocument = undefined;
      engine.read_document(putText(engine, source));
      lastDocument = { source, generation: currentGeneration() };
    }
    return engine.text_fragment_in_document(putText(engine, passage), startChar as number | undefined);
  });
}

/** What the engine has read last: link after link into one document crosses with the passage only. */
let lastDocument: { source: string; generation: number } | undefined;

/**
 * The page's address pointed at the passage, or undefined when there is no http, https or file address.
 * A route fragment (`#/docs/a`) is kept; a plain `#id` and an older text fragment are replaced.
 */
export function citationUrl(url: string | undefined, passage: string, options?: TextFragmentOptions): string | undefined {
  if (url !== undefined && url !== null) check.string(url, "url");
  const directive = textFragment(passage, options);
  return url === undefined || url === null ? undefined : call((engine) => engine.cited_url(url, directive));
}

/** The document cut at the borders of its blocks. *Order*: ascending, apart; blank lines between are in no chunk. */
export function chunkSpans(text: string, options?: ChunkSpansOptions): ChunkSpan[] {
  check.string(text, "text");
  const { maxChars } = check.options(options, "options", ["maxChars"]);
  if (maxChars !== undefined) check.integer(maxChars, "options.maxChars", 1);
  const offsets = call((engine) => engine.chunk_spans(putText(engine, text), maxChars as number | undefined));
  const spans: ChunkSpan[] = new Array(offsets.length / 2);
  for (let index = 0; index < spans.length; index += 1) {
    spans[index] = { chunkIndex: index, startChar: offsets[2 * index] as number, endChar: offsets[2 * index + 1] as number };
  }
  return spans;
}
