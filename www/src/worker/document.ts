/** A document, the passages cut from it, and the way back to them when it has changed. */
import { chunkSpans, citationAnchor, fingerprintContent, passageQuote, resolveCitation, textFragment, type ChunkSpan } from "agent-evidence";

export interface Passage {
  anchor: string;
  quote: string;
}

/** Where a cited passage is in the text as it is now. */
export interface Followed {
  stale: boolean;
  /** Absent when the passage is gone. */
  span?: { from: number; to: number };
  /** The anchor of the passage as it is now. */
  anchor: string;
  quote: string;
  /** How a moved passage was found. */
  how?: string;
  /** The text fragment alone, for the framed copy. */
  fragment: string;
  url?: string;
}

/** Small, so that a short document has several. */
const CHUNK_UNITS = 400;

/** The version that the passage was cut from: what a library would have kept. */
let cited = { hash: "", text: "" };

export function chunksOf({ text }: { text: string }): ChunkSpan[] {
  return chunkSpans(text, { maxChars: CHUNK_UNITS });
}

export function citePassage({ text, from, to }: { text: string; from: number; to: number }): Passage {
  cited = { hash: fingerprintContent(text), text };
  return { anchor: citationAnchor(cited.hash, from, to), quote: passageQuote(text.slice(from, to)) };
}

export async function followPassage({ text, name, anchor }: { text: string; name: string; anchor: string }): Promise<Followed> {
  const filePath = name;
  const library = {
    findDocument: () => ({ docId: `page:${filePath}`, filePath, scope: "page", provenance: { url: `https://docs.example/${encodeURI(filePath)}` } }),
    extractText: () => text,
    chunkSpans: () => chunksOf({ text }),
    olderText: (_: unknown, hashPrefix: string) => (cited.hash.startsWith(hashPrefix) ? cited.text : null),
  };
  const found = await resolveCitation(filePath, { anchor }, library);
  const { startChar: from, endChar: to, passage, quote, citeUrl, stale = false, relocated, ambiguous, gone } = found;
  const followed: Followed = { stale, anchor: found.anchor, quote, fragment: "" };
  if (relocated) followed.how = relocated.method === "exact" ? "the same words" : `${Math.round(relocated.score * 100)} % the same`;
  if (ambiguous) followed.how = `${ambiguous} places fit equally well; none was chosen`;
  if (gone || ambiguous) return followed;
  if (citeUrl) followed.url = citeUrl;
  return { ...followed, span: { from, to }, fragment: textFragment(passage, { document: text, startChar: from }) };
}
