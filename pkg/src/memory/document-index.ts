import { DocumentIndex, type DocumentStorage } from "../document-index.js";

/** A storage that lives as long as the program; one storage may serve several indexes. */
export function memoryDocumentStorage(): DocumentStorage {
  const texts = new Map<string, string>();
  let index = "";
  return {
    indexSize: () => index.length,
    readIndex: () => index,
    appendIndex: (record) => {
      index += `${record}\n`;
    },
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
