import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { EvidenceError, LIMITS, SPAN_TAG_PREFIX, anchorMatchesHash, chunkSpans, citationAnchor, citationUrl, parseCitationAnchor, parseSpanTag, passageProse, passageQuote, spanTag, textFragment } from "agent-evidence/anchors";

function rows<T>(name: string): T[] {
  return JSON.parse(readFileSync(join(import.meta.dirname, `../data/anchors/${name}.json`), "utf8"));
}

test.each(rows<{ passage: string; prose: string; withoutHeadings?: string }>("prose"))("the prose of $passage", ({ passage, prose, withoutHeadings }) => {
  expect(passageProse(passage)).toBe(prose);
  expect(passageProse(passage, true)).toBe(withoutHeadings ?? prose);
});

test.each(rows<{ passage: string; document?: string; startChar?: number; fragment: string }>("fragments"))("the fragment of $passage", ({ passage, fragment, ...options }) => {
  expect(textFragment(passage, options)).toBe(fragment);
});

describe("anchors", () => {
  const hash = "ABCDEF0123456789".repeat(4);

  test("come back as they were written", () => {
    const anchor = citationAnchor(hash, 3, 17);
    expect(anchor).toBe("abcdef012345#3-17");
    expect(parseCitationAnchor(anchor)).toEqual({ hashPrefix: "abcdef012345", startChar: 3, endChar: 17 });
    expect(anchorMatchesHash(anchor, hash)).toBe(true);
    expect(anchorMatchesHash(anchor, "0".repeat(64))).toBe(false);
    expect(parseCitationAnchor("abcdef012345#17-3")).toBeNull();
    expect(spanTag(3, 17)).toBe(`${SPAN_TAG_PREFIX}3-17`);
    expect(parseSpanTag(["x", "span:3-17"])).toEqual({ startChar: 3, endChar: 17 });
    expect(parseSpanTag(["x"])).toBeNull();
    expect(parseSpanTag([])).toBeNull();
    expect(parseSpanTag(undefined)).toBeNull();
  });

  test.each([
    () => citationAnchor("xyz", 1, 2),
    () => citationAnchor(hash, 2, 1),
    () => citationAnchor(hash, -1, 2),
    () => citationAnchor(hash, 1, 2.5),
    () => spanTag(2, 1),
    () => spanTag(NaN, 1),
    () => chunkSpans("x", { maxChars: 0 }),
    () => textFragment("x", { startChar: -1 }),
    () => textFragment("x", { doc: "y" } as never),
    () => passageProse(1 as never),
  ])("a wrong argument is refused and the next call works: %s", (wrong) => {
    expect(wrong).toThrow(EvidenceError);
    expect(citationAnchor(hash, 1, 2)).toBe("abcdef012345#1-2");
  });
});

test("an address is pointed at the passage, or there is none", () => {
  expect(citationUrl("https://x.example/p#id", "Some words")).toBe("https://x.example/p#:~:text=Some%20words");
  expect(citationUrl("https://x.example/#/docs/a", "Some words")).toBe("https://x.example/#/docs/a:~:text=Some%20words");
  expect(citationUrl("https://x.example/p", "")).toBe("https://x.example/p");
  expect(citationUrl("javascript:alert(1)", "Some words")).toBeUndefined();
  expect(citationUrl(undefined, "Some words")).toBeUndefined();
});

test("a quote is at most as long as asked, and 280 units otherwise", () => {
  expect(passageQuote("A sentence. Another one follows here.", 20)).toBe("A sentence.");
  expect(passageQuote("word ".repeat(200)).length).toBeLessThanOrEqual(LIMITS["DEFAULT_QUOTE_CHARS"]!.value);
  expect(passageQuote("\ud83d\ude00\ud83d\ude00\ud83d\ude00", 4)).toBe("\ud83d\ude00…");
});

test("chunks count in units of the text as given", () => {
  const text = "\ufeff# 漢\r\n\r\nOne 😀 two.\r\n\r\nThree \ud800 four.\r\n";
  const spans = chunkSpans(text, { maxChars: 14 });
  expect(spans.map(({ chunkIndex }) => chunkIndex)).toEqual(spans.map((_, index) => index));
  expect(spans.map(({ startChar, endChar }) => text.slice(startChar, endChar)).slice(-2)).toEqual(["One 😀 two.", "Three \ud800 four."]);
});

test("lone surrogates at every border throw nothing, and what comes back is cut from the caller's text", () => {
  const lone = ["\ud800", "\udc00", "\udc00\ud800", "\ud83d\ude00\ud83d"];
  const words = ["one", "two漢", "😀", "[link](x)", "`code`", "| a | b |\n|-|-|\n| c | d |", ""];
  for (const mark of lone) {
    for (const word of words) {
      const text = `${mark}${word}${mark} and more words here${mark}\n\n${mark}Second ${word}.${mark}`;
      for (let start = 0; start <= text.length; start += 3) {
        const passage = text.slice(start, start + 17);
        for (const fragment of [textFragment(passage), textFragment(passage, { document: text, startChar: start })]) {
          expect(fragment).toMatch(/^(?::~:text=[!-~]+)?$/);
        }
        expect(passageQuote(passage, 9).length).toBeLessThanOrEqual(9);
      }
      const spans = chunkSpans(text, { maxChars: 12 });
      expect(spans.map(({ startChar, endChar }) => text.slice(startChar, endChar)).join("").replace(/\s/g, "")).toBe(text.replace(/\s/g, ""));
    }
  }
});

test("links into one document do not depend on what was linked before", () => {
  const first = "The lamp blinks.\n\nSome text between them here.\n\nThe lamp blinks.";
  const second = `${first}\n\nThe lamp blinks.`;
  const link = (document: string, startChar: number) => textFragment("The lamp blinks.", { document, startChar });
  const expected = ":~:text=between%20them%20here.-,The%20lamp%20blinks";
  const [other, alone] = [link(second, 48), textFragment("The lamp blinks.")];
  for (let round = 0; round < 2; round += 1) {
    expect([link(first, 48), textFragment("The lamp blinks."), link(second, 48), link(first, 48)]).toEqual([expected, alone, other, expected]);
  }
  expect([passageProse("# A\n\n*b*"), passageProse("# A\n\n*b*", true), passageQuote("# A\n\n*b*"), textFragment("# A\n\n*b*"), passageProse("c")]).toEqual(["A b", "b", "b", ":~:text=b", "c"]);
});
