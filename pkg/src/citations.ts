export { EvidenceError, type EvidenceErrorCode, type EvidenceErrorDetails } from "./errors.js";
export { init, type InitSource } from "./init.js";
export { LIMITS, type Limit } from "./limits.js";
export type * from "./citation-types.js";
export { chatCitationDeps, verifyCitations, type ChatCitationHost, type ChatCitationHostOptions, type VerifyOptions } from "./verify.js";
