/** Citations resolved over pairs of document versions, in memory and on disk. */
import { execFileSync, spawn } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { chunkSpans, citationAnchor, EvidenceError, resolveCitation, type ResolveCitationDeps } from "agent-evidence/anchors";
import { memoryDocumentIndex } from "agent-evidence/memory";
import { DocumentIndex } from "agent-evidence/node";

const place = mkdtempSync(join(tmpdir(), "agent-evidence-resolve-"));
afterAll(() => rmSync(place, { recursive: true, force: true }));

const provenance = { canonicalUrl: "https://example.org/guide", title: "Guide", capturedAt: "2026-11-30", source: "test" };
const PASSAGE = "The cache is kept for twenty minutes unless the owner clears it by hand.";
const OLD = `# Guide\r\n\r\nFirst install the tool 😀.\r\n\r\n${PASSAGE}\r\n\r\nThen read the manual, 漢字 and é.\r\n`;

/** The old text ingested and cited, then the new text ingested. */
async function afterChange(now: string, more: object = {}) {
  const index = memoryDocumentIndex({ now: () => 1 });
  const { contentHash } = index.ingestText("guide.md", OLD, { provenance });
  const start = OLD.indexOf(PASSAGE);
  const anchor = citationAnchor(contentHash, start, start + PASSAGE.length);
  index.ingestText("guide.md", now);
  return { anchor, citation: await resolveCitation("guide.md", { anchor, ...more }, index as ResolveCitationDeps) };
}

test("a current anchor gives its passage, its quote and a link that lands on it", async () => {
  const { anchor, citation } = await afterChange(OLD);
  expect(citation).toMatchObject({ docId: "docs:guide.md", passage: PASSAGE, quote: PASSAGE, anchor, version: 1, title: "Guide", url: provenance.canonicalUrl, provenance });
  expect(citation.citeUrl).toMatch(/^https:\/\/example\.org\/guide#:~:text=/);
  expect("stale" in citation || "relocated" in citation).toBe(false);
});

const versions: [string, string, string | null][] = [
  ["text inserted before", `New first paragraph 😀.\r\n\r\n${OLD}`, PASSAGE],
  ["moved to the end", `${OLD.replace(PASSAGE, "")}\r\n${PASSAGE}\r\n`, PASSAGE],
  ["edited", OLD.replace("twenty", "at most thirty"), PASSAGE.replace("twenty", "at most thirty").slice(0, -1)],
  ["re-wrapped", OLD.replace("minutes unless", "minutes\r\nunless"), PASSAGE.replace("minutes unless", "minutes\r\nunless").slice(0, -1)],
  ["deleted", OLD.replace(PASSAGE, ""), null],
  ["replaced by a lookalike", OLD.replace(PASSAGE, "The owner clears the table by hand."), null],
];

test.each(versions)("a passage %s", async (_, now, expected) => {
  const { anchor, citation } = await afterChange(now);
  expect(citation).toMatchObject({ stale: true, citedAnchor: anchor });
  if (expected === null) {
    expect(citation).toMatchObject({ gone: true, passage: PASSAGE, anchor, chunkIndex: -1 });
    expect(citation.citeUrl).toBeUndefined();
  } else {
    expect(citation.passage).toBe(expected);
    expect(now.slice(citation.startChar, citation.endChar)).toBe(expected);
    expect(citation.relocated?.score).toBeGreaterThanOrEqual(0.7);
    expect(citation.citeUrl).toContain(":~:text=");
    const chunk = chunkSpans(now)[citation.chunkIndex];
    expect(chunk && chunk.startChar <= citation.startChar && citation.startChar < chunk.endChar).toBe(true);
  }
});

test("a passage duplicated with its surroundings is ambiguous, and none is chosen", async () => {
  const { citation } = await afterChange(`Eight other words stand before both of them.\r\n${OLD}`.repeat(2));
  expect(citation).toMatchObject({ stale: true, ambiguous: 2, passage: PASSAGE });
  expect(citation.relocated).toBeUndefined();
});

test("without the old version or a quote, offsets are given as stale and nothing more", async () => {
  const deps: ResolveCitationDeps = { findDocument: () => ({ docId: "d:a", filePath: "a", scope: "d" }), extractText: () => "0123456789" };
  const citation = await resolveCitation("a", { anchor: "abcdefabcdef#2-5" }, deps);
  expect(citation).toMatchObject({ stale: true, citedAnchor: "abcdefabcdef#2-5", passage: "234" });
  expect([citation.relocated, citation.citeUrl]).toEqual([undefined, undefined]);
});

test("a lone surrogate in the document is cut as it is", async () => {
  const text = "One \ud800 two.\n\nThree.";
  const index = memoryDocumentIndex();
  index.ingestText("a.md", text);
  const { passage } = await resolveCitation("docs:a.md", { chunkIndex: 0 }, index as ResolveCitationDeps);
  expect(text.startsWith(passage)).toBe(true);
  expect(passage).toContain("\ud800");
});

async function codeOf(promise: Promise<unknown>): Promise<[string, unknown]> {
  try {
    await promise;
  } catch (error) {
    expect(error).toBeInstanceOf(EvidenceError);
    const { code, details } = error as EvidenceError;
    return [code, details.field ?? details.count];
  }
  return ["resolved", undefined];
}

test("every failure is an EvidenceError for a person, whatever the library does", async () => {
  const found = { docId: "d:a", filePath: "a", scope: "d" };
  const library = (more: object) => ({ findDocument: () => found, extractText: () => "Some text.", ...more }) as unknown as ResolveCitationDeps;
  const cases: [object, object, [string, unknown]][] = [
    [{ findDocument: () => null }, {}, ["NOT_INDEXED", undefined]],
    [{ extractText: async () => null }, {}, ["FILE_GONE", undefined]],
    [{ extractText: () => "" }, {}, ["NO_TEXT", undefined]],
    [{}, { chunkIndex: 1 }, ["CHUNK_OUT_OF_RANGE", 1]],
    [{}, { anchor: "x" }, ["MALFORMED_ANCHOR", "opts.anchor"]],
    [{}, { anchor: "abcdefabcdef#2-500" }, ["ANCHOR_OUTSIDE_DOCUMENT", undefined]],
    [{}, { quote: "never written there" }, ["QUOTE_NOT_FOUND", undefined]],
    [{ findDocument: () => { throw new Error("x"); } }, {}, ["HOST_FAILED", "deps.findDocument"]],
    [{ findDocument: () => "a.md" }, {}, ["HOST_FAILED", "deps.findDocument"]],
    [{ extractText: () => Promise.reject(new Error("x")) }, {}, ["HOST_FAILED", "deps.extractText"]],
    [{ extractText: () => 7 }, {}, ["HOST_FAILED", "deps.extractText"]],
    [{ chunkSpans: () => [{ startChar: -1, endChar: 2 }] }, {}, ["HOST_FAILED", "deps.chunkSpans"]],
    [{ olderText: () => 7 }, { anchor: "abcdefabcdef#2-5" }, ["HOST_FAILED", "deps.olderText"]],
    [{}, { chunk: 1 }, ["UNKNOWN_OPTION", "opts.chunk"]],
    [{}, { chunkIndex: -1 }, ["INVALID_ARGUMENT", "opts.chunkIndex"]],
    [{}, { chunkIndex: 0.5 }, ["INVALID_ARGUMENT", "opts.chunkIndex"]],
  ];
  for (const [more, opts, expected] of cases) {
    expect(await codeOf(resolveCitation("a", opts, library(more)))).toEqual(expected);
  }
  expect(await codeOf(resolveCitation("a", {}, { findDocument: () => null } as unknown as ResolveCitationDeps))).toEqual(["MISSING_HOST_METHOD", "deps.extractText"]);
  expect((await resolveCitation("a", {}, library({}))).passage).toBe("Some text.");
});

test("an index on disk finds by path, id and address, keeps versions, and follows the file", async () => {
  const rootDir = join(place, "disk");
  mkdirSync(rootDir);
  writeFileSync(join(rootDir, "guide.md"), `\ufeff${OLD}`);
  const index = new DocumentIndex({ rootDir, now: () => 5 });
  const first = index.ingest("guide.md", { provenance });
  expect(first).toMatchObject({ docId: "docs:guide.md", version: 1, at: 5 });
  expect(first.chunks[0]?.tags[0]).toBe(`span:${first.chunks[0]?.startChar}-${first.chunks[0]?.endChar}`);
  expect(index.ingest("./guide.md").version).toBe(1);
  const start = OLD.indexOf(PASSAGE);
  const anchor = citationAnchor(first.contentHash, start, start + PASSAGE.length);
  for (const target of ["guide.md", "docs:guide.md", "https://example.org/guide", join(rootDir, "guide.md")]) {
    expect((await resolveCitation(target, { rootDir, anchor })).passage).toBe(PASSAGE);
  }
  writeFileSync(join(rootDir, "guide.md"), `Changed.\r\n\r\n${OLD}`);
  expect(await resolveCitation("guide.md", { rootDir, anchor })).toMatchObject({ stale: true, passage: PASSAGE, relocated: { method: "exact" } });
  index.ingest("guide.md");
  expect(index.versions("docs:guide.md").map(({ version }) => version)).toEqual([1, 2]);
  rmSync(join(rootDir, "guide.md"));
  expect(await codeOf(resolveCitation("guide.md", { rootDir }))).toEqual(["FILE_GONE", undefined]);
  const directory = join(rootDir, ".agent-evidence");
  expect(statSync(directory).mode & 0o777).toBe(0o700);
  expect(statSync(join(directory, "documents.jsonl")).mode & 0o777).toBe(0o600);
});

test("damage is skipped and reported, and the next record starts a line of its own", () => {
  const rootDir = join(place, "damage");
  mkdirSync(rootDir);
  const index = new DocumentIndex({ rootDir });
  index.ingestText("a.md", "one");
  const file = join(rootDir, ".agent-evidence/documents.jsonl");
  appendFileSync(file, '{"docId":"docs:b.md","sco');
  index.ingestText("c.md", "three");
  expect(index.documents().map(({ docId }) => docId)).toEqual(["docs:a.md", "docs:c.md"]);
  expect(index.readReport().skipped).toEqual([{ line: 2, reason: "not-json" }]);
  writeFileSync(join(rootDir, `.agent-evidence/${index.find("a.md")?.contentHash}.txt`), "on");
  expect(index.text(index.find("a.md")!)).toBeNull();
});

test("a writer killed at any moment leaves every record it had reported", async () => {
  const rootDir = join(place, "killed");
  mkdirSync(rootDir);
  const script = `
    import { DocumentIndex } from "agent-evidence/node";
    const index = new DocumentIndex({ rootDir: process.argv[1] });
    for (let n = Number(process.argv[2]); ; n += 1) {
      index.ingestText("d" + n + ".md", "text " + n + " " + "é".repeat(n * 37 % 9000));
      process.stdout.write(n + "\\n");
    }`;
  let next = 0;
  for (let round = 0; round < 12; round += 1) {
    const writer = spawn(process.execPath, ["--input-type=module", "-e", script, rootDir, String(next)], { cwd: import.meta.dirname, stdio: ["ignore", "pipe", "inherit"] });
    let output = "";
    writer.stdout.on("data", (chunk) => { output += String(chunk); });
    await new Promise<void>((started) => writer.stdout.once("data", () => started()));
    await new Promise((wait) => setTimeout(wait, 3 + round * 5));
    writer.kill("SIGKILL");
    await new Promise((ended) => writer.once("close", ended));
    const reported = output.split("\n").slice(0, -1).map(Number);
    const index = new DocumentIndex({ rootDir });
    const known = new Set(index.documents().map(({ filePath }) => filePath));
    for (const n of reported) {
      expect(known.has(`d${n}.md`)).toBe(true);
      expect(index.text(index.find(`d${n}.md`)!)?.startsWith(`text ${n} `)).toBe(true);
    }
    next = (reported.at(-1) ?? next) + 2;
  }
});

test("a reader in another process sees what was ingested, and a restart of the engine loses nothing", async () => {
  const rootDir = join(place, "shared");
  mkdirSync(rootDir);
  const index = new DocumentIndex({ rootDir });
  index.ingestText("a.md", "one");
  const script = `import { DocumentIndex } from "agent-evidence/node"; new DocumentIndex({ rootDir: process.argv[1] }).ingestText("b.md", "two")`;
  execFileSync(process.execPath, ["--input-type=module", "-e", script, rootDir], { cwd: import.meta.dirname });
  expect(index.find("b.md")?.version).toBe(1);
  const { call } = await import("../../pkg/dist/engine.js");
  expect(() => call((engine) => engine.input_reserve(0xffffffff))).toThrow(EvidenceError);
  expect(index.find("a.md")?.version).toBe(1);
  expect(readFileSync(join(rootDir, ".agent-evidence/documents.jsonl"), "utf8").split("\n")).toHaveLength(3);
});
