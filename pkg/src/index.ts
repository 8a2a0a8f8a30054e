export * from "./citations.js";
export * from "./ledger.js";
export * from "./gate.js";
export * from "./transcripts.js";
export * from "./anchors.js";
