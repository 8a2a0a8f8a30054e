export * from "./gate-commands.js";
export * from "./gate-state.js";
export { EvidenceError, type EvidenceErrorCode, type EvidenceErrorDetails } from "./errors.js";
export { init, type InitSource } from "./init.js";
export { LIMITS, type Limit } from "./limits.js";
