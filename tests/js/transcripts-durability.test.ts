import { execFileSync, spawn } from "node:child_process";
import { appendFileSync, chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ChatTranscriptStore, EvidenceError, type ChatTranscriptRecord } from "agent-evidence";

const WRITER = join(import.meta.dirname, "../support/transcript-writer.mjs");
const KILLS = 200;
const IS_ROOT = process.getuid?.() === 0;

let base: string;
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), "agent-evidence-"));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

let made = 0;
function fresh(): { store: ChatTranscriptStore; dir: string; path: string } {
  const dir = join(base, `state-${made++}`);
  const store = new ChatTranscriptStore({ dir, now: () => 1 });
  return { store, dir, path: store.pathOf("chat")! };
}

function texts(records: ChatTranscriptRecord[]): string[] {
  return records.map((record) => (record.kind === "system" ? record.text : record.kind));
}

function refused(run: () => void): EvidenceError {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(EvidenceError);
    return error as EvidenceError;
  }
  throw new Error("nothing was thrown");
}

/** Starts a writer, kills it `after` ms past its first word, and returns the appends that returned. */
function killed(dir: string, writer: string, seed: number, after: number): Promise<number[]> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["--no-warnings", WRITER, dir, "chat", writer, String(seed)], { stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    let problem = "";
    child.stderr.on("data", (data) => (problem += data));
    child.stdout.on("data", (data) => {
      if (output === "") setTimeout(() => child.kill("SIGKILL"), after);
      output += data;
    });
    child.on("error", reject);
    child.on("close", (_, signal) => {
      if (signal !== "SIGKILL") return reject(new Error(`the writer ended by itself: ${problem}`));
      resolve(output.split("\n").slice(1, -1).map(Number));
    });
  });
}

/** Every append that returned is there, in order, and at most one more: whole records of each writer. */
function expectAll(store: ChatTranscriptStore, returned: Map<string, number[]>): void {
  const report = store.readReport("chat");
  const found = new Map<string, number[]>();
  for (const record of report.records) {
    const [writer, number] = record.turnId.split("-") as [string, string];
    expect(record.kind === "system" && /^é+$/.test(record.text)).toBe(true);
    found.set(writer, [...(found.get(writer) ?? []), Number(number)]);
  }
  for (const [writer, numbers] of returned) {
    const there = found.get(writer) ?? [];
    expect(there).toEqual(there.map((_, index) => index));
    expect(there.length).toBeGreaterThanOrEqual(numbers.length);
    expect(there.length).toBeLessThanOrEqual(numbers.length + 1);
  }
  expect(report.skippedTotal).toBeLessThanOrEqual(returned.size);
}

describe("a writer that is killed", () => {
  test(`${KILLS} times leaves every record whose append had returned, and the next writer goes on`, async () => {
    let seed = 1;
    const random = () => (seed = (Math.imul(seed, 1103515245) + 12345) >>> 0) / 2 ** 32;
    const rounds = Array.from({ length: KILLS / 2 }, (_, round) => round);
    let torn = 0;
    // Two lines of work at once, each with one file of two writers: the second begins where the first died.
    const work = async () => {
      for (let round = rounds.pop(); round !== undefined; round = rounds.pop()) {
        const { store, dir, path } = fresh();
        const returned = new Map<string, number[]>();
        for (const writer of [`a${round}`, `b${round}`]) {
          returned.set(writer, await killed(dir, writer, round * 7 + 1, random() * 40));
        }
        expectAll(store, returned);
        torn += store.readReport("chat").skippedTotal;
        if (existsSync(path)) {
          store.appendSystem("chat", "last", "after");
          expect(texts(store.read("chat")).at(-1)).toBe("after");
        }
        rmSync(dir, { recursive: true, force: true });
      }
    };
    await Promise.all([work(), work()]);
    console.log(`${KILLS} kills, ${torn} torn records`);
  }, 600_000);

  test("beside another that is killed too loses nothing of either", async () => {
    for (let round = 0; round < 20; round += 1) {
      const { store, dir } = fresh();
      const both = await Promise.all(["a", "b"].map(async (writer, index) => [writer, await killed(dir, writer, round * 2 + index, 10 + 3 * round)] as const));
      expectAll(store, new Map(both));
      rmSync(dir, { recursive: true, force: true });
    }
  }, 300_000);
});

describe("a disk that is full", () => {
  test("makes the append throw, leaves whole records, and goes on when there is space", () => {
    const { store, dir, path } = fresh();
    store.appendSystem("chat", "t0", "before");
    // A limit on the size of files: every system has it, and the write is short as on a full disk.
    const script = `
      import { ChatTranscriptStore } from ${JSON.stringify(import.meta.resolve("agent-evidence"))};
      process.on("SIGXFSZ", () => {});
      const store = new ChatTranscriptStore({ dir: ${JSON.stringify(dir)} });
      let appended = 0;
      try { for (;; appended += 1) store.appendSystem("chat", "t" + appended, "x".repeat(7000)); }
      catch (error) { console.log(JSON.stringify({ appended, code: error.code, reason: error.details.reason, message: error.message })); }
      try { store.appendSystem("chat", "u", "y".repeat(7000)); } catch (error) { console.log(JSON.stringify({ code: error.code })); }`;
    const output = execFileSync("sh", ["-c", `ulimit -f 64; exec "$0" --no-warnings --input-type=module -e "$1"`, process.execPath, script], { encoding: "utf8", cwd: import.meta.dirname });
    const [first, second] = output.trim().split("\n").map((line) => JSON.parse(line));
    expect(first.appended).toBeGreaterThan(2);
    expect(first).toMatchObject({ code: "STORAGE_FAILED", reason: expect.stringMatching(/^(SHORT_WRITE|EFBIG)$/) });
    expect(first.message).not.toContain("xxx");
    expect(second).toEqual({ code: "STORAGE_FAILED" });
    expect(readFileSync(path, "utf8").endsWith("}\n")).toBe(true);
    store.appendSystem("chat", "t", "after");
    const report = store.readReport("chat");
    expect([report.records.length, report.skippedTotal]).toEqual([first.appended + 2, 0]);
    expect(texts(report.records).at(-1)).toBe("after");
  });

  test("is the same on a small file system", () => {
    const mount = join(base, "small");
    mkdirSync(mount);
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=256k", "none", mount], { stdio: "pipe" });
    } catch {
      // Not allowed here: the limit on file sizes above shows the same short write.
      expect(statSync(mount).isDirectory()).toBe(true);
      return;
    }
    try {
      const store = new ChatTranscriptStore({ dir: join(mount, "chats"), fsync: "always" });
      writeFileSync(join(mount, "ballast"), Buffer.alloc(100_000));
      let appended = 0;
      const error = refused(() => {
        for (; ; appended += 1) store.appendSystem("chat", `t${appended}`, "x".repeat(7000));
      });
      expect(error).toMatchObject({ code: "STORAGE_FAILED", details: { operation: "append", reason: expect.stringMatching(/^(SHORT_WRITE|ENOSPC)$/) } });
      expect(readFileSync(store.pathOf("chat")!, "utf8").endsWith("}\n")).toBe(true);
      expect(store.readReport("chat")).toMatchObject({ skippedTotal: 0, records: { length: appended } });
      rmSync(join(mount, "ballast"));
      store.appendSystem("chat", "t", "after");
      expect(texts(store.read("chat")).slice(-1)).toEqual(["after"]);
      expect(store.readReport("chat").skippedTotal).toBe(0);
    } finally {
      execFileSync("umount", [mount]);
    }
  });
});

describe("a file that someone else has touched", () => {
  const line = (text: string) => JSON.stringify({ at: 1, turnId: "t", kind: "system", text });

  test("keeps every whole record behind a BOM, CRLF, NULs, noise and a missing final newline", () => {
    const { store, path } = fresh();
    store.appendSystem("chat", "t", "first");
    writeFileSync(path, Buffer.concat([Buffer.from(`\ufeff${line("é")}\r\n\r\n`), Buffer.alloc(5000), Buffer.from(`${line("漢")}\nnoise\n{}\n`), Buffer.from([0xff, 0x0a]), Buffer.from(line("😀"))]));
    store.appendSystem("chat", "t", "appended");
    const report = store.readReport("chat");
    expect(texts(report.records)).toEqual(["é", "漢", "😀", "appended"]);
    expect(report.skipped.map(({ line, byteLength, reason }) => [line, byteLength, reason])).toEqual([[3, 5000, "torn"], [4, 5, "json"], [5, 2, "shape"], [6, 1, "encoding"]]);
    expect([...store.records("chat")]).toEqual(report.records);
    truncateSync(path, statSync(path).size - 4);
    expect(texts(store.read("chat"))).toEqual(["é", "漢", "😀"]);
    expect(store.readReport("chat").skipped.at(-1)).toMatchObject({ line: 8, reason: "torn" });
  });

  test("is read to its end past lines of 64 MB", () => {
    const { store, path } = fresh();
    const long = "x".repeat(64 << 20);
    store.appendSystem("chat", "t", "first");
    appendFileSync(path, `${"y".repeat(64 << 20)}\n`);
    store.appendSystem("chat", "t", long);
    store.appendSystem("chat", "t", "last");
    const report = store.readReport("chat");
    expect(report.records.map((record) => record.kind === "system" && record.text.length)).toEqual([5, 64 << 20, 4]);
    expect(report.skipped).toEqual([{ line: 2, byteOffset: statSync(path).size - 2 * (64 << 20) - 1 - (line("").length + 1) - (line("last").length + 1), byteLength: 64 << 20, reason: "json" }]);
  });

  test("is not taken for a transcript when it is a directory, a symbolic link or a pipe", () => {
    const { store, dir, path } = fresh();
    store.appendSystem("other", "t", "x");
    const outside = join(base, "outside.jsonl");
    writeFileSync(outside, `${line("secret")}\n`, { mode: 0o644 });
    for (const [reason, place] of [["EISDIR", () => mkdirSync(path)], ["ELOOP", () => symlinkSync(outside, path)], ["NOT_A_FILE", () => execFileSync("mkfifo", [path])]] as const) {
      place();
      const error = refused(() => store.appendSystem("chat", "t", "private words"));
      expect(error).toMatchObject({ code: "STORAGE_FAILED", details: { operation: "append", path, reason } });
      expect(error.message).not.toContain("private words");
      expect(store.read("chat")).toEqual([]);
      expect(store.readReport("chat").unreadable).toMatch(/^(EISDIR|ELOOP|NOT_A_FILE)$/);
      store.clearOrphaned(new Set(["other"]));
      rmSync(path, { recursive: true });
    }
    expect(readFileSync(outside, "utf8")).toBe(`${line("secret")}\n`);
    expect(statSync(outside).mode & 0o777).toBe(0o644);
    const linked = join(base, "linked");
    symlinkSync(dir, linked);
    const through = new ChatTranscriptStore({ dir: linked });
    expect(refused(() => through.appendSystem("other", "t", "x")).details["reason"]).toBe("ELOOP");
    expect(refused(() => through.clearOrphaned(new Set())).code).toBe("STORAGE_FAILED");
    expect(through.read("other")).toEqual([]);
    store.appendSystem("chat", "t", "works");
    expect(texts(store.read("chat"))).toEqual(["works"]);
  });

  test("keeps what it had while its permissions are lost", () => {
    const { store, dir, path } = fresh();
    store.appendSystem("chat", "t", "before");
    const script = `
      import { chmodSync } from "node:fs";
      import { ChatTranscriptStore } from ${JSON.stringify(import.meta.resolve("agent-evidence"))};
      const store = new ChatTranscriptStore({ dir: ${JSON.stringify(dir)} });
      if (process.getuid() === 0) process.seteuid(65534);
      store.appendSystem("chat", "t", "half-way");
      chmodSync(${JSON.stringify(path)}, 0);
      try { store.appendSystem("chat", "t", "lost"); } catch (error) { console.log(error.code, error.details.reason, /lost/.test(error.message)); }
      console.log(store.read("chat").length, store.readReport("chat").unreadable);
      chmodSync(${JSON.stringify(path)}, 0o600);
      store.appendSystem("chat", "t", "after");
      console.log(store.read("chat").map((record) => record.text).join());`;
    if (IS_ROOT) {
      // Root may read everything, so the child becomes nobody.
      chmodSync(base, 0o711);
      chownSync(dir, 65534, 65534);
      chownSync(path, 65534, 65534);
    }
    const output = execFileSync(process.execPath, ["--no-warnings", "--input-type=module", "-e", script], { encoding: "utf8", cwd: import.meta.dirname });
    expect(output.trim().split("\n")).toEqual(["STORAGE_FAILED EACCES false", "0 EACCES", "before,half-way,after"]);
  });

  test("that grows while it is iterated is read to the end it has then", () => {
    const { store } = fresh();
    for (let index = 0; index < 3; index += 1) store.appendSystem("chat", `t${index}`, "x".repeat(900_000));
    const seen: string[] = [];
    for (const record of store.records("chat")) {
      seen.push(record.turnId);
      if (record.turnId === "t0") store.appendSystem("chat", "t3", "late");
    }
    expect(seen).toEqual(["t0", "t1", "t2", "t3"]);
    for (const record of store.records("chat")) {
      expect(record.turnId).toBe("t0");
      break;
    }
  });

  test("may be torn at every place a disk could cut, and the next append is found", () => {
    const { store, path } = fresh();
    store.appendSystem("chat", "t", "first");
    const whole = readFileSync(path);
    const torn = Buffer.from(`${line("torn é漢😀 \"at\"")}\n`);
    for (let cut = 0; cut < torn.length; cut += 1) {
      writeFileSync(path, Buffer.concat([whole, torn.subarray(0, cut)]));
      store.appendSystem("chat", "t", "next");
      expect(texts(store.read("chat")).filter((text) => !text.startsWith("torn")), `cut at ${cut}`).toEqual(["first", "next"]);
      // Another writer's record right behind the tear, as when both were writing.
      writeFileSync(path, Buffer.concat([whole, torn.subarray(0, cut), Buffer.from(`${line("glued")}\n`)]));
      expect(texts(store.read("chat")).filter((text) => !text.startsWith("torn")), `glued at ${cut}`).toEqual(["first", "glued"]);
    }
  });
});

test("fsync always appends the same bytes", () => {
  const { store, dir, path } = fresh();
  store.appendSystem("chat", "t", "a");
  const synced = new ChatTranscriptStore({ dir: `${dir}-synced`, now: () => 1, fsync: "always" });
  synced.appendSystem("chat", "t", "a");
  expect(readFileSync(synced.pathOf("chat")!)).toEqual(readFileSync(path));
});

