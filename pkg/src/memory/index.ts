/** Hosts in memory: for tests, demos, browsers and other stores. */
export { EvidenceError } from "../errors.js";
export { memoryCitationDeps, type MemoryCitationOptions, type MemoryRepository } from "./citation-host.js";
