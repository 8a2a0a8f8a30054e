/** The document index at rest: what it reads, what it writes, and who else may be there. */
import { spawn } from "node:child_process";
import { appendFileSync, chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { DocumentIndex as AnyDocumentIndex, memoryDocumentStorage } from "agent-evidence/memory";
import { DocumentIndex, documentStorage } from "agent-evidence/node";

const place = mkdtempSync(join(tmpdir(), "agent-evidence-index-"));
afterAll(() => rmSync(place, { recursive: true, force: true }));

const ids = (index: AnyDocumentIndex) => index.documents().map(({ docId }) => docId);

test.each([
  ["in memory", () => memoryDocumentStorage()],
  ["on disk", () => documentStorage(join(place, "counted"))],
])("an index %s reads what is new, once, also after its own ingest", (_, make) => {
  const storage = make();
  let read = 0;
  const counted = {
    ...storage,
    readIndex: (offset: number, target: Uint8Array) => {
      const length = storage.readIndex(offset, target);
      read += length;
      return length;
    },
  };
  const index = new AnyDocumentIndex(counted, { now: () => 1 });
  const other = new AnyDocumentIndex(storage, { now: () => 2 });
  for (let number = 0; number < 50; number += 1) {
    index.ingestText(`a${number}.md`, `Text é漢😀 ${number}`);
    if (number % 10 === 0) other.ingestText(`b${number}.md`, "other");
    expect(index.find(`a${number}.md`)?.version).toBe(1);
  }
  expect(ids(index)).toEqual(ids(other));
  expect(index.documents()).toHaveLength(55);
  expect(read).toBe(storage.indexSize());
  index.ingestText("a0.md", "Another text");
  expect(index.versions("docs:a0.md").map(({ version }) => version)).toEqual([1, 2]);
});

test("an index that was cut short is read anew", () => {
  const rootDir = join(place, "cut");
  mkdirSync(rootDir);
  const index = new DocumentIndex({ rootDir });
  for (const name of ["a.md", "b.md", "c.md"]) index.ingestText(name, name);
  const file = join(rootDir, ".agent-evidence/documents.jsonl");
  const lines = readFileSync(file, "utf8").split("\n");
  // In the middle of the second record.
  truncateSync(file, Buffer.byteLength(`${lines[0]}\n`) + 20);
  expect(ids(index)).toEqual(["docs:a.md"]);
  expect(index.readReport().skipped).toEqual([{ line: 2, reason: "not-json" }]);
  index.ingestText("d.md", "d");
  expect(ids(index)).toEqual(["docs:a.md", "docs:d.md"]);
  expect(ids(new DocumentIndex({ rootDir }))).toEqual(["docs:a.md", "docs:d.md"]);
});

test("a record is seen when it is whole, however it arrives", () => {
  const rootDir = join(place, "pieces");
  mkdirSync(rootDir);
  const writer = new DocumentIndex({ rootDir: place, directory: join(place, "source") });
  writer.ingestText("é漢😀.md", "one");
  const record = readFileSync(join(place, "source/documents.jsonl"));
  const index = new DocumentIndex({ rootDir });
  index.ingestText("a.md", "a");
  for (const byte of record) {
    appendFileSync(join(rootDir, ".agent-evidence/documents.jsonl"), Uint8Array.of(byte));
    index.documents();
  }
  expect(ids(index)).toEqual(["docs:a.md", "docs:é漢😀.md"]);
  expect(index.readReport().skipped).toEqual([]);
});

test("what an ingest leaves when it is killed between text and record is no document, and no hindrance", () => {
  const rootDir = join(place, "between");
  mkdirSync(rootDir);
  const storage = documentStorage(join(rootDir, ".agent-evidence"));
  const killed = new AnyDocumentIndex({ ...storage, appendIndex: () => { throw new Error("killed"); } });
  expect(() => killed.ingestText("a.md", "one")).toThrow("killed");
  const index = new DocumentIndex({ rootDir });
  expect(ids(index)).toEqual([]);
  // The text of an earlier writer that was killed in the middle of it.
  writeFileSync(join(rootDir, `.agent-evidence/x.txt.${process.pid}.draft`), "on");
  expect(index.ingestText("a.md", "one").version).toBe(1);
  expect(index.text(index.find("a.md")!)).toBe("one");
});

test.runIf(process.platform !== "win32")("a loose directory and file are made private, and no link is followed", () => {
  const rootDir = join(place, "loose");
  const directory = join(rootDir, ".agent-evidence");
  mkdirSync(directory, { recursive: true });
  chmodSync(directory, 0o755);
  const file = join(directory, "documents.jsonl");
  writeFileSync(file, "", { mode: 0o644 });
  const index = new DocumentIndex({ rootDir });
  const { contentHash } = index.ingestText("a.md", "one");
  expect([directory, file, join(directory, `${contentHash}.txt`)].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o600, 0o600]);

  const elsewhere = join(place, "elsewhere");
  mkdirSync(elsewhere);
  writeFileSync(join(elsewhere, "documents.jsonl"), "");
  symlinkSync(elsewhere, join(place, "link"));
  expect(() => new DocumentIndex({ rootDir, directory: join(place, "link") }).ingestText("a.md", "one")).toThrow(expect.objectContaining({ code: "ELOOP" }));
  rmSync(file);
  symlinkSync(join(elsewhere, "documents.jsonl"), file);
  expect(() => new DocumentIndex({ rootDir }).ingestText("b.md", "two")).toThrow(expect.objectContaining({ code: "ELOOP" }));
  expect(readFileSync(join(elsewhere, "documents.jsonl"), "utf8")).toBe("");
  expect(readdirSync(elsewhere)).toEqual(["documents.jsonl"]);
});

test("writers and readers in several processes: every record whole, every reader right at any moment", async () => {
  const rootDir = join(place, "many");
  mkdirSync(rootDir);
  const script = `
    import { DocumentIndex } from "agent-evidence/node";
    const [rootDir, name] = process.argv.slice(1);
    const index = new DocumentIndex({ rootDir });
    for (let n = 0; n < 60; n += 1) index.ingestText(name + n + ".md", "text " + name + n + "é".repeat((n * 977) % 20_000));`;
  const writers = ["a", "b", "c"].map((name) => spawn(process.execPath, ["--input-type=module", "-e", script, rootDir, name], { cwd: import.meta.dirname, stdio: "inherit" }));
  let running = writers.length;
  const ended = Promise.all(writers.map((writer) => new Promise<number | null>((done) => writer.once("close", (code) => { running -= 1; done(code); }))));
  const reader = new DocumentIndex({ rootDir });
  let seen = 0;
  while (running > 0) {
    const documents = reader.documents();
    expect(documents.length).toBeGreaterThanOrEqual(seen);
    seen = documents.length;
    const last = documents.at(-1);
    if (last) expect(reader.text(last)).toContain(`text ${last.filePath.slice(0, -3)}`);
    await new Promise((wait) => setTimeout(wait, 5));
  }
  expect(await ended).toEqual([0, 0, 0]);
  expect(reader.documents()).toHaveLength(180);
  expect(reader.readReport().skipped).toEqual([]);
  expect(new Set(ids(new DocumentIndex({ rootDir })))).toEqual(new Set(ids(reader)));
});
