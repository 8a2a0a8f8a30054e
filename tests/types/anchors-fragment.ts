/** What a caller of the anchors part may rely on, held against the package. */
import * as anchors from "agent-evidence/anchors";

export const prefix: "span:" | string = anchors.SPAN_TAG_PREFIX;
export const tag: (startChar: number, endChar: number) => string = anchors.spanTag;
export const readTag: (tags: readonly string[] | undefined) => { startChar: number; endChar: number } | null = anchors.parseSpanTag;
export const anchor: (contentHash: string, startChar: number, endChar: number) => string = anchors.citationAnchor;
export const readAnchor: (anchor: string) => { hashPrefix: string; startChar: number; endChar: number } | null = anchors.parseCitationAnchor;
export const matches: (anchor: string, contentHash: string) => boolean = anchors.anchorMatchesHash;
export const prose: (passage: string, skipHeadings?: boolean) => string = anchors.passageProse;
export const quote: (passage: string, maxChars?: number) => string = anchors.passageQuote;
export const fragment: (passage: string) => string = anchors.textFragment;
export const url: (url: string | undefined, passage: string) => string | undefined = anchors.citationUrl;
export const span: { chunkIndex: number; startChar: number; endChar: number } = {} as anchors.ChunkSpan;
