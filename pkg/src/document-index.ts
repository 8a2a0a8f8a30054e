/** An index of documents and their versions, over any storage. */
import type { ChunkSpan } from "./anchors.js";
import { spanTag } from "./anchors.js";
import * as check from "./check.js";
import { call, currentGeneration, putBytes, putText, putTexts } from "./engine.js";
import type { CaptureProvenance, DocumentInfo, ResolveCitationDeps } from "./resolve.js";

/** Where an index is kept: one append-only JSONL, and texts by content hash. Synchronous. */
export interface DocumentStorage {
  /** Length of the index in bytes, 0 when there is none; grows with every append. */
  indexSize(): number;
  /** Fills `target` with the index from byte `offset` on; answers how many bytes there were. */
  readIndex(offset: number, target: Uint8Array): number;
  /** Appends a line, which ends in its newline, in one write; behind a newline if the last write was torn. */
  appendIndex(line: Uint8Array): void;
  /** The text with this content hash, or null. */
  readText(contentHash: string): string | null;
  /** Keeps a text under its content hash; a reader sees all of it or nothing. */
  writeText(contentHash: string, text: string): void;
}

/** One version of a document. */
export interface IndexedDocument extends DocumentInfo {
  /** SHA-256 of the extracted text. */
  contentHash: string;
  /** Counts the versions of the document, from 1. */
  version: number;
  /** When it was ingested, in milliseconds since the epoch. */
  at: number;
  chunks: IndexedChunk[];
}

/** A chunk as a search index stores it. */
export interface IndexedChunk extends ChunkSpan {
  /** Tags to store beside the chunk: its span tag. */
  tags: string[];
}

/** What is said of a document when it is ingested. */
export interface IngestOptions {
  /** Keeps equal paths of different collections apart; `"docs"` if absent. */
  scope?: string;
  /** Where a capture came from. */
  provenance?: CaptureProvenance;
  /** The most UTF-16 units of a chunk; `LIMITS.DEFAULT_CHUNK_CHARS` if absent. */
  maxChars?: number;
}

/** A line of the index that is no record. */
export interface SkippedRecord {
  /** From 1. */
  line: number;
  reason: "not-json" | "not-a-record";
}

interface Reader {
  generation: number;
  /** Bytes of the index that were read. */
  size: number;
  /** Bytes of whole lines among them: what comes after may still change. */
  settled: number;
  handle: import("./wasm/agent_evidence.js").DocumentIndexReader;
}

/** Documents, their versions and their texts; also a library for `resolveCitation`. */
export class DocumentIndex implements ResolveCitationDeps<IndexedDocument> {
  readonly #storage: DocumentStorage;
  readonly #now: () => number;
  #reader: Reader | undefined;

  constructor(storage: DocumentStorage, options?: { now?: () => number }) {
    this.#storage = check.host<DocumentStorage>(storage, "storage", ["indexSize", "readIndex", "appendIndex", "readText", "writeText"]);
    const { now } = check.options(options, "options", ["now"]) as { now?: () => number };
    this.#now = now ?? Date.now;
  }

  /**
   * Records `text` as the document's newest version; a text equal to the newest is no new version.
   * The text is stored before the record that names it. *Errors*: `INVALID_ARGUMENT`; what the storage throws.
   */
  ingestText(filePath: string, text: string, options?: IngestOptions): IndexedDocument {
    check.string(filePath, "filePath");
    check.string(text, "text");
    const { scope = "docs", provenance, maxChars } = check.options(options, "options", ["scope", "provenance", "maxChars"]) as IngestOptions;
    check.string(scope, "options.scope");
    if (maxChars !== undefined) check.integer(maxChars, "options.maxChars", 1);
    const origin = provenance === undefined ? "" : JSON.stringify(check.object(provenance, "options.provenance"));
    const [record, isNew] = this.#read((reader, engine) => reader.next_version(putTexts(engine, [filePath, scope, origin, text]), this.#now(), maxChars)) as [string, boolean];
    const version = document(record);
    if (isNew) {
      this.#storage.writeText(version.contentHash, text);
      this.#storage.appendIndex(encoder.encode(`${record}\n`));
    }
    return version;
  }

  /** The newest version of the document a docId, path or address names, or null. */
  find(target: string, scope?: string): IndexedDocument | null {
    check.string(target, "target");
    if (scope !== undefined) check.string(scope, "scope");
    const record = this.#read((reader) => reader.find(target, scope));
    return record === undefined ? null : document(record);
  }

  /** Every version of a document, oldest first. */
  versions(docId: string): IndexedDocument[] {
    check.string(docId, "docId");
    return this.#read((reader) => reader.versions(docId)).map(document);
  }

  /** The newest version of every document, in the order of first ingestion. */
  documents(): IndexedDocument[] {
    return this.#read((reader) => reader.documents()).map(document);
  }

  /** What was skipped as damage when the index was read. */
  readReport(): { skipped: SkippedRecord[] } {
    const rows = this.#read((reader) => reader.damage()) as [number, SkippedRecord["reason"]][];
    return { skipped: rows.map(([line, reason]) => ({ line, reason })) };
  }

  /** The stored text of a version, or null when it was not kept or is damaged. */
  text(version: { contentHash: string }): string | null {
    const { contentHash } = check.object(version, "version") as { contentHash: string };
    const text = this.#storage.readText(check.string(contentHash, "version.contentHash"));
    return text !== null && call((engine) => engine.content_hash(putText(engine, text))) === contentHash ? text : null;
  }

  findDocument(target: string): IndexedDocument | null {
    return this.find(target);
  }

  extractText(version: IndexedDocument): string | null {
    return this.text(version);
  }

  olderText(version: IndexedDocument, hashPrefix: string): string | null {
    const older = this.versions(version.docId).find(({ contentHash }) => contentHash.startsWith(hashPrefix));
    return older === undefined ? null : this.text(older);
  }

  /** Runs on the index as it is stored now: what it grew by is read, all of it after a restart of the engine. */
  #read<T>(run: (reader: Reader["handle"], engine: typeof import("./wasm/agent_evidence.js")) => T): T {
    const size = this.#storage.indexSize();
    let reader = this.#reader;
    if (reader === undefined || reader.size > size || reader.generation !== currentGeneration()) {
      if (reader?.generation === currentGeneration()) reader.handle.free();
      this.#reader = undefined;
      reader = { generation: currentGeneration(), size: 0, settled: 0, handle: call((engine) => new engine.DocumentIndexReader()) };
      this.#reader = reader;
    }
    const { handle } = reader;
    if (reader.size < size) {
      const bytes = new Uint8Array(size - reader.settled);
      const read = this.#storage.readIndex(reader.settled, bytes);
      reader.size = reader.settled + read;
      reader.settled += call((engine) => handle.extend(putBytes(engine, bytes.subarray(0, read))));
    }
    return call((engine) => run(handle, engine));
  }
}

const encoder = new TextEncoder();

function document(record: string): IndexedDocument {
  const parsed = JSON.parse(record) as IndexedDocument;
  const spans = parsed.chunks as unknown as [number, number][];
  const chunks = spans.map(([startChar, endChar], chunkIndex) => ({ chunkIndex, startChar, endChar, tags: [spanTag(startChar, endChar)] }));
  return { ...parsed, chunks };
}
