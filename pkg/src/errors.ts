/** Why a call was refused or failed. Stable; the message is for a person. */
export type EvidenceErrorCode =
  /** A call before `await init()` in a browser. */
  | "NOT_INITIALIZED"
  /** The engine failed and was started anew; the call may be repeated. */
  | "ENGINE_RESTARTED"
  /** An argument has the wrong type, sign or range; `details.field` names it. */
  | "INVALID_ARGUMENT"
  /** An option the function does not have; `details.field` names it. */
  | "UNKNOWN_OPTION"
  /** A host object lacks a method the call needs; `details.field` names it. */
  | "MISSING_HOST_METHOD"
  /** No default host exists on this platform; `details.field` names the argument to pass. */
  | "HOST_REQUIRED"
  /** A host's answer is needed and it threw, rejected or answered nonsense; `details.field` names the method. */
  | "HOST_FAILED"
  /** Transcripts: the storage could not; `details` has `operation`, `path` and `reason`, such as `ENOSPC`. */
  | "STORAGE_FAILED"
  /** `resolveCitation`: no document goes by that path, URL or id. */
  | "NOT_INDEXED"
  /** `resolveCitation`: the document's file is no longer there. */
  | "FILE_GONE"
  /** `resolveCitation`: the document holds no text. */
  | "NO_TEXT"
  /** `resolveCitation`: the document has fewer chunks; `details.count` says how many. */
  | "CHUNK_OUT_OF_RANGE"
  /** `resolveCitation`: not an anchor. */
  | "MALFORMED_ANCHOR"
  /** `resolveCitation`: the anchor's span is no passage of the document; `details.length` is its length. */
  | "ANCHOR_OUTSIDE_DOCUMENT"
  /** `resolveCitation`: the words are not in the document, or in several places. */
  | "QUOTE_NOT_FOUND";

/** Typed facts about an error. */
export interface EvidenceErrorDetails {
  /** The argument, option or method at fault, such as `opts.maxItems` or `messages[3].toolCalls`. */
  field?: string;
  /** The index of the item at fault. */
  index?: number;
  [name: string]: string | number | undefined;
}

/** The one error this package throws. Findings are never errors. */
export class EvidenceError extends Error {
  override readonly name = "EvidenceError";
  readonly code: EvidenceErrorCode;
  readonly details: EvidenceErrorDetails;

  constructor(code: EvidenceErrorCode, message: string, details: EvidenceErrorDetails = {}, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
    this.details = details;
  }
}
