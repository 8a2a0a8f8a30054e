/** Hosts over Node's file system and git. One file a part; nothing here decides anything. */
import "../load-node.js";
import "../platform-node.js";
export { EvidenceError } from "../errors.js";
export { chatCitationDeps } from "./citation-host.js";
export { DocumentIndex, documentStorage, type DocumentIndexOptions } from "./document-index.js";
export { type DocumentStorage, type IndexedDocument, type IndexedChunk, type IngestOptions } from "../document-index.js";
export { seedObservationLedger, type SeedOptions } from "./ledger-seed.js";
export { nodeTranscriptStorage } from "./transcript-storage.js";
