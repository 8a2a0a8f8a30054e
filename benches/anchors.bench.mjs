// Links and quotes against markdown-it doing nothing but the parse; chunks against a plain split.
import MarkdownIt from "markdown-it";
import { chunkSpans, passageProse, textFragment } from "agent-evidence/anchors";
import { ratio } from "./measure.mjs";

const PARAGRAPH =
  "The **server** keeps [one connection](https://example.org/a) open for `timeout` seconds, and closes it when nobody\nasked for anything in that time. Section {n} says what a client has to do then, and why.\n\n";
const passages = Array.from({ length: 10_000 }, (_, index) => `## Part ${index}\n\n${PARAGRAPH.repeat(3).replaceAll("{n}", String(index))}- one *item*\n- another item with some words\n`);
const manual = passages.join("\n").repeat(2).slice(0, 10_000_000);
const parser = new MarkdownIt({ html: true });

/** Blank lines, then as many blocks as fit. */
function plainChunks(text, most) {
  const chunks = [];
  let [start, end] = [-1, 0];
  for (const match of text.matchAll(/\S[^]*?(?=\n\s*\n|$(?![^]))/g)) {
    const last = match.index + match[0].length;
    if (start < 0) start = match.index;
    else if (last - start > most) {
      chunks.push({ chunkIndex: chunks.length, startChar: start, endChar: end });
      start = match.index;
    }
    end = last;
  }
  if (start >= 0) chunks.push({ chunkIndex: chunks.length, startChar: start, endChar: end });
  return chunks;
}

export const cases = [
  {
    name: "passageProse + textFragment, 10,000 passages",
    target: 1.0,
    run: () =>
      ratio(
        () => passages.forEach((passage) => (passageProse(passage), textFragment(passage))),
        () => passages.forEach((passage) => parser.parse(passage, {})),
        3,
      ),
  },
  {
    name: "textFragment in a document of 60 kB, 1,000 passages",
    target: 1.0,
    run: () => {
      const document = manual.slice(0, 60_000);
      const starts = Array.from({ length: 1_000 }, (_, index) => index * 55);
      const texts = starts.map((start) => document.slice(start, start + 600));
      return ratio(
        () => texts.forEach((text, index) => textFragment(text, { document, startChar: starts[index] })),
        () => texts.forEach((text) => parser.parse(text, {})),
        3,
      );
    },
  },
  {
    name: "chunkSpans, 10 MB",
    target: 1.0,
    run: () => ratio(() => chunkSpans(manual, { maxChars: 1_500 }), () => plainChunks(manual, 1_500), 5),
  },
];
