export { EvidenceError, type EvidenceErrorCode, type EvidenceErrorDetails } from "./errors.js";
export { init, type InitSource } from "./init.js";
export { LIMITS, type Limit } from "./limits.js";
export type * from "./transcript-types.js";
export { CHAT_TRANSCRIPTS_DIRNAME, ChatTranscriptStore, defaultChatTranscriptsDir } from "./transcript-store.js";
export { cutDecisions, DECISIONS_MARKER, DecisionFence, foldTranscript, rewriteHostPaths, withRootAliases } from "./transcript-text.js";
