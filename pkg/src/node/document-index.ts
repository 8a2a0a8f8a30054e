/** The document index on disk: `documents.jsonl` and the texts beside it under their content hash. */
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { isAbsolute, join, relative, resolve } from "node:path";
import * as check from "../check.js";
import { DocumentIndex as AnyDocumentIndex, type DocumentStorage, type IndexedDocument, type IngestOptions } from "../document-index.js";
import { append, ensureDir, isAbsent, PRIVATE_FILE, read, stat } from "./private-files.js";

const INDEX = "documents.jsonl";

/** A storage in `directory`, which is made private (0700; files 0600). */
export function documentStorage(directory: string): DocumentStorage {
  const index = join(check.string(directory, "directory"), INDEX);
  const textPath = (contentHash: string) => join(directory, `${contentHash}.txt`);
  return {
    indexSize: () => stat(index)?.size ?? 0,
    readIndex: (offset, target) => read(index, offset, target) ?? 0,
    appendIndex: (line) => {
      ensureDir(directory);
      append(index, line, { sync: true });
    },
    readText: (contentHash) => absentAs(null, () => readFileSync(textPath(contentHash), "utf8")),
    writeText: (contentHash, text) => {
      ensureDir(directory);
      // Readers see the whole text or none: it takes its name when it is complete.
      const draft = `${textPath(contentHash)}.${process.pid}.draft`;
      try {
        // What a killed process of the same number left goes first, so that no link is written through.
        rmSync(draft, { force: true });
        writeFileSync(draft, text, { flag: "wx", mode: PRIVATE_FILE, flush: true });
        renameSync(draft, textPath(contentHash));
      } finally {
        rmSync(draft, { force: true });
      }
    },
  };
}

function absentAs<T>(absent: T, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (isAbsent(error)) return absent;
    throw error;
  }
}

/** Where a `DocumentIndex` lies. */
export interface DocumentIndexOptions {
  /** What paths are relative to; the working directory if absent. */
  rootDir?: string;
  /** Where the index is kept; `<rootDir>/.agent-evidence` if absent. */
  directory?: string;
  /** The scope of look-ups through `resolveCitation`; all if absent. */
  scope?: string;
  now?: () => number;
}

/** An index of files on disk; a document's text is its file's as it is now. Concurrent readers are fine. */
export class DocumentIndex extends AnyDocumentIndex {
  readonly #rootDir: string;
  readonly #scope: string | undefined;

  constructor(options?: DocumentIndexOptions) {
    const given = check.options(options, "options", ["rootDir", "directory", "scope", "now"]) as DocumentIndexOptions;
    for (const name of ["rootDir", "directory", "scope"] as const) {
      if (given[name] !== undefined) check.string(given[name], `options.${name}`);
    }
    const rootDir = resolve(given.rootDir ?? ".");
    super(documentStorage(given.directory ?? join(rootDir, ".agent-evidence")), given.now && { now: given.now });
    this.#rootDir = rootDir;
    this.#scope = given.scope;
  }

  /** Reads a UTF-8 file (a byte order mark is no text) and records it as the document's newest version. *Errors*: what reading throws. */
  ingest(file: string, options?: IngestOptions): IndexedDocument {
    const path = resolve(this.#rootDir, check.string(file, "file"));
    return this.ingestText(this.#plain(path), readText(path), options);
  }

  override findDocument(target: string): IndexedDocument | null {
    return this.find(target, this.#scope) ?? (isAbsolute(target) ? this.find(this.#plain(target), this.#scope) : null);
  }

  override extractText(version: IndexedDocument): string | null {
    const path = resolve(this.#rootDir, version.filePath);
    return absentAs(null, () => (statSync(path).isFile() ? readText(path) : null));
  }

  #plain(path: string): string {
    const inside = relative(this.#rootDir, path);
    return inside.startsWith("..") || isAbsolute(inside) ? path : inside;
  }
}

function readText(path: string): string {
  return new TextDecoder().decode(readFileSync(path));
}
