import { DocumentIndex, type DocumentStorage } from "../document-index.js";
import { memoryTranscriptStorage } from "./transcript-storage.js";

/** A storage that lives as long as the program; one storage may serve several indexes. */
export function memoryDocumentStorage(): DocumentStorage {
  const texts = new Map<string, string>();
  const log = memoryTranscriptStorage();
  const index = "documents.jsonl";
  return {
    indexSize: () => log.stat(index)?.size ?? 0,
    readIndex: (offset, target) => log.read(index, offset, target) ?? 0,
    appendIndex: (line) => log.append(index, line, { sync: false }),
    readText: (contentHash) => texts.get(contentHash) ?? null,
    writeText: (contentHash, text) => {
      texts.set(contentHash, text);
    },
  };
}

/** A `DocumentIndex` in memory: the newest ingested text is the document as it is now. */
export function memoryDocumentIndex(options?: { now?: () => number }): DocumentIndex {
  return new DocumentIndex(memoryDocumentStorage(), options);
}
