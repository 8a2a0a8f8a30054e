/** Hosts in memory: for tests, demos, browsers and other stores. */
export { EvidenceError } from "../errors.js";
export { memoryCitationDeps, type MemoryCitationOptions, type MemoryRepository } from "./citation-host.js";
export { memoryDocumentIndex, memoryDocumentStorage } from "./document-index.js";
export { DocumentIndex, type DocumentStorage, type IndexedDocument, type IndexedChunk, type IngestOptions } from "../document-index.js";
export { memoryTranscriptStorage, type MemoryTranscriptStorage } from "./transcript-storage.js";
export { openOpfsTranscriptStorage, type OpfsTranscriptOptions, type OpfsTranscriptStorage } from "./opfs-transcripts.js";
