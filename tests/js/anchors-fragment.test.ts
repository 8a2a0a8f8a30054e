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
