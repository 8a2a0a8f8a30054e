/** The document index on disk: `documents.jsonl` and the texts beside it under their content hash. */
import { closeSync, constants, fstatSync, ftruncateSync, lstatSync, mkdirSync, openSync, readFileSync, readSync, renameSync, rmSync, statSync, writeFileSync, writeSync } from "node:fs";
import { isAbsolute, join, relative, resolve } from "node:path";
import * as check from "../check.js";
import { DocumentIndex as AnyDocumentIndex, type DocumentStorage, type IndexedDocument, type IngestOptions } from "../document-index.js";

const INDEX = "documents.jsonl";
const { O_APPEND, O_CREAT, O_NOFOLLOW = 0, O_RDWR } = constants;

/** A storage in `directory`, which is made private (0700; files 0600) when it is made. */
export function documentStorage(directory: string): DocumentStorage {
  const index = join(check.string(directory, "directory"), INDEX);
  const textPath = (contentHash: string) => join(directory, `${contentHash}.txt`);
  return {
    indexSize: () => absentAs(0, () => lstatSync(index).size),
    readIndex: () => absentAs("", () => readFileSync(index, "utf8")),
    appendIndex: (record) => {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      append(index, record);
    },
    readText: (contentHash) => absentAs(null, () => readFileSync(textPath(contentHash), "utf8")),
    writeText: (contentHash, text) => {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      // Readers see the whole text or none: it takes its name when it is complete.
      const draft = `${textPath(contentHash)}.${process.pid}.draft`;
      try {
        writeFileSync(draft, text, { mode: 0o600, flush: true });
        renameSync(draft, textPath(contentHash));
      } finally {
        rmSync(draft, { force: true });
      }
    },
  };
}

/** One write for record and newline; a short one is taken back. */
function append(path: string, record: string): void {
  const file = openSync(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
  try {
    const { size } = fstatSync(file);
    const last = Buffer.alloc(1);
    const torn = size > 0 && readSync(file, last, 0, 1, size - 1) === 1 && last[0] !== 0x0a;
    const bytes = Buffer.from(`${torn ? "\n" : ""}${record}\n`);
    if (writeSync(file, bytes) < bytes.length) {
      ftruncateSync(file, size);
      throw new Error(`The index could not be written whole: ${bytes.length} bytes are needed.`);
    }
  } finally {
    closeSync(file);
  }
}

function absentAs<T>(absent: T, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return absent;
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
