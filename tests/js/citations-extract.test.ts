import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { call, currentGeneration } from "../../pkg/dist/engine.js";
import { citationsFrame, CitationStream, extractCitations, extractRuleCitations, markCitations, repoAliases, type ChatCitationsResult, type ExtractedCitation } from "agent-evidence";

const roots = [{ absRoot: "/r/wicked-crew", name: "wicked-crew" }];
const data = (name: string): string[] => readFileSync(join(import.meta.dirname, "../data/citations", name), "utf8").split("\n").filter((line) => line !== "");
const vectors = data("extract.tsv").filter((line) => !line.startsWith("#")).map((line) => {
  const [text, expected] = line.split("\t") as [string, string];
  return { text: text.replaceAll("␍", "\r").replaceAll("␊", "\n"), expected };
});

function show(citation: ExtractedCitation): string {
  const { kind, tentative, raw, path, lines, column, endColumn, symbol, repo, ruleId } = citation;
  const fields = { path: path !== undefined && !raw.startsWith(path) ? path : undefined, lines: lines?.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(","), column, endColumn, symbol, repo, rule: ruleId };
  return `${kind}${tentative ? "?" : ""} ${raw}${Object.entries(fields).filter(([, value]) => value !== undefined).map(([name, value]) => ` ${name}=${value}`).join("")}`;
}

/** The same result, as a pass over a host would give it. */
function result(items: ExtractedCitation[]): ChatCitationsResult {
  return { verified: items.length, unverifiable: 0, corrected: 0, unchecked: 0, items: items.map((item) => ({ ...item, status: "verified" as const })) };
}

function code(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    const { code, details } = error as { code: string; details: { field: string } };
    return `${code} ${details.field}`;
  }
  return "no error";
}

test("every vector is read as written, and offsets cut what is raw", () => {
  for (const { text, expected } of vectors) {
    const found = extractCitations(text, roots);
    expect(found.map(show).join(" | "), text).toBe(expected);
    for (const { raw, start, end } of found) expect(text.slice(start, end)).toBe(raw);
  }
});

test("prose cites nothing", () => {
  for (const line of data("prose.txt")) expect(extractCitations(line, roots), line).toEqual([]);
});

test("offsets are UTF-16 units, also behind lone surrogates", () => {
  const text = "\ud800 é漢😀\r\n`src/a.ts:3` \udc00src/b.ts:4 crew: 6d77153";
  const found = extractCitations(text, roots);
  expect(found.map(({ raw }) => raw)).toEqual(["src/a.ts:3", "src/b.ts:4", "6d77153"]);
  for (const { raw, start, end } of found) expect(text.slice(start, end)).toBe(raw);
  expect(extractCitations("", roots)).toEqual([]);
});

test("a citation says what was written and nothing else", () => {
  expect(extractCitations("`parse` (src/a.ts:3:4-9:2,12)", roots)).toEqual([
    { raw: "src/a.ts:3:4-9:2,12", kind: "line", start: 9, end: 28, path: "src/a.ts", line: 3, column: 4, endLine: 9, endColumn: 2, lines: [[3, 9], [12, 12]], symbol: "parse" },
  ]);
  expect(extractCitations("deadbeef 1234567", roots, { ambiguousShas: true }).map(show)).toEqual(["sha? deadbeef", "sha? 1234567"]);
});

test("roots may change between calls", () => {
  expect(extractCitations("studio 6d77153", roots)[0]?.repo).toBeUndefined();
  expect(extractCitations("studio 6d77153", [{ absRoot: "/r/studio", name: "studio" }])[0]?.repo).toBe("studio");
  expect(extractCitations("crew 6d77153", roots)[0]?.repo).toBe("crew");
});

test("marks are every occurrence, and the segments joined are the text", () => {
  for (const { text } of vectors) {
    const twice = `😀 ${text}\n\n${text}`;
    const marked = result(extractCitations(twice, roots));
    const segments = markCitations(twice, marked);
    expect(segments.map((segment) => segment.text).join("")).toBe(twice);
    for (const { text: piece, start, end, citation } of segments) {
      expect(twice.slice(start, end)).toBe(piece);
      if (citation) expect([citation.raw, marked.items.includes(citation)]).toEqual([piece, true]);
    }
    expect(new Set(segments.map(({ citation }) => citation).filter(Boolean)).size).toBe(marked.items.length);
  }
});

test("an item without a place is found by its text", () => {
  const item = { raw: "src/a.ts:3", kind: "line" as const, status: "unverified" as const };
  const segments = markCitations("src/a.ts:3 src/a.ts:30 src/a.ts:3", { items: [item] });
  expect(segments.map(({ text, citation }) => [text, citation === item])).toEqual([["src/a.ts:3", true], [" src/a.ts:30 ", false], ["src/a.ts:3", true]]);
});

test("a stream yields what the whole has, for every cut, pairs apart too", () => {
  const text = vectors.map((vector) => vector.text).join("\n") + " 😀src/é.ts:3 `x.ts`";
  const whole = extractCitations(text, roots);
  for (const step of [1, 2, 7, 63, 5000]) {
    const stream = new CitationStream(roots);
    const found: ExtractedCitation[] = [];
    for (let at = 0; at < text.length; at += step) found.push(...stream.feed(text.slice(at, at + step)));
    found.push(...stream.finish());
    expect(found).toEqual(whole);
  }
});

test("a stream goes on after the engine had to start anew", () => {
  const stream = new CitationStream(roots);
  const first = stream.feed("crew src/a.ts:1\nsrc/b.ts");
  const before = currentGeneration();
  expect(() => call(() => { throw new WebAssembly.RuntimeError("made up"); })).toThrow();
  expect(currentGeneration()).toBe(before + 1);
  const rest = [...stream.feed(":2 src/a.ts:1 6d77153"), ...stream.finish()];
  expect([...first, ...rest]).toEqual(extractCitations("crew src/a.ts:1\nsrc/b.ts:2 src/a.ts:1 6d77153", roots));
});

test("rules, aliases and the frame", () => {
  expect(extractRuleCitations("[rule:a-1] [rule:b] [rule:a-1] [rule: x]")).toEqual(["a-1", "b"]);
  expect(repoAliases(roots[0]!)).toEqual(["wicked-crew", "crew"]);
  const reply = { chat: "c", cliKey: "k", turn_id: "t" };
  const marked = result(extractCitations("src/a.ts:3", roots));
  expect(citationsFrame(reply, marked)).toEqual({ type: "chatCitations", ...reply, ...marked });
  expect(citationsFrame(reply, result([]))).toBeNull();
});

test("misuse is named before anything happens, and the next call works", () => {
  const wrong = 7 as never;
  expect(code(() => extractCitations(wrong, roots))).toBe("INVALID_ARGUMENT text");
  expect(code(() => extractCitations("", wrong))).toBe("INVALID_ARGUMENT roots");
  expect(code(() => extractCitations("", [{ absRoot: "/r" }] as never))).toBe("INVALID_ARGUMENT roots[0].name");
  expect(code(() => extractCitations("", roots, { all: true } as never))).toBe("UNKNOWN_OPTION options.all");
  expect(code(() => extractCitations("", roots, { ambiguousShas: 1 } as never))).toBe("INVALID_ARGUMENT options.ambiguousShas");
  expect(code(() => markCitations("", { items: [{ raw: "x", kind: "page" }] } as never))).toBe("INVALID_ARGUMENT result.items[0].kind");
  expect(code(() => markCitations("", { items: [{ raw: "x", kind: "path", start: -1 }] } as never))).toBe("INVALID_ARGUMENT result.items[0].start");
  expect(code(() => citationsFrame({ chat: wrong, cliKey: "k" }, result([])))).toBe("INVALID_ARGUMENT reply.chat");
  expect(code(() => new CitationStream(roots).feed(wrong))).toBe("INVALID_ARGUMENT delta");
  expect(extractCitations("src/a.ts", roots)).toHaveLength(1);
});
