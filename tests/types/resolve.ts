/** The declarations `resolveCitation` was asked to have, held against the package. */
import { resolveCitation, type Citation, type ResolveCitationOptions } from "agent-evidence/anchors";

interface AskedOptions {
  rootDir?: string;
  scope?: string;
  chunkIndex?: number;
  anchor?: string;
}

interface AskedCitation {
  docId: string;
  filePath: string;
  scope: string;
  chunkIndex: number;
  startChar: number;
  endChar: number;
  contentHash: string;
  anchor: string;
  passage: string;
  quote: string;
  stale?: boolean;
  version?: number;
  title?: string;
  url?: string;
  citeUrl?: string;
  capturedAt?: string;
  source?: string;
  provenance?: object;
}

export const accepts: (options: AskedOptions) => ResolveCitationOptions = (options) => options;
export const returns: (citation: Citation) => AskedCitation = (citation) => citation;
export const asked: (target: string, opts?: AskedOptions) => Promise<AskedCitation> = resolveCitation;
