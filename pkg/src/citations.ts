export { EvidenceError, type EvidenceErrorCode, type EvidenceErrorDetails } from "./errors.js";
export { init, type InitSource } from "./init.js";
export { LIMITS, type Limit } from "./limits.js";
export type * from "./citation-types.js";
export { citationsFrame, CitationStream, extractCitations, extractRuleCitations, markCitations, repoAliases } from "./extract.js";
export { chatCitationDeps, DEFAULT_BUDGET_MS, DEFAULT_MAX_ITEMS, RULE_CITED_LABEL, RULE_UNKNOWN_LABEL, verifyCitations, type ChatCitationHost, type ChatCitationHostOptions, type VerifyOptions } from "./verify.js";
