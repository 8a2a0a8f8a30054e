import { mkdtemp, rm, writeFile, cp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Browser } from "playwright-core";
import { launchChromium, serve } from "../support/browser.js";

const WORKER = `
import { ChatTranscriptStore, init } from "./dist/transcripts.js";
import { openOpfsTranscriptStorage } from "./dist/memory/index.js";
const ready = init();
const jobs = {
  async fill() {
    const storage = await openOpfsTranscriptStorage({ directory: "test/chats", spare: 2 });
    const store = new ChatTranscriptStore({ storage, fsync: "always", now: () => 1 });
    store.appendUser("one", "t", "é漢😀\\r\\n", ["k"]);
    for (let index = 0; index < 20; index += 1) store.appendSystem("one", "t" + index, "x".repeat(1000 * index));
    store.appendSystem("two", "t", "y");
    let refused;
    try { store.appendSystem("three", "t", "z"); } catch (error) { refused = [error.code, error.details.reason]; }
    await storage.reserve(4);
    store.appendSystem("three", "t", "z");
    store.drop("two");
    const second = await openOpfsTranscriptStorage({ directory: "test/chats" }).then(() => "opened", (error) => error.name);
    const answer = { refused, second, path: store.pathOf("one"), one: store.read("one").length, two: store.read("two"), three: store.read("three").length };
    storage.close();
    try { store.appendSystem("four", "t", "late"); } catch (error) { answer.closed = error.details.reason; }
    return answer;
  },
  async reopen() {
    const storage = await openOpfsTranscriptStorage({ directory: "test/chats" });
    const store = new ChatTranscriptStore({ storage });
    const report = store.readReport("one");
    // A tear, as a crash leaves it.
    storage.append(store.pathOf("one"), new TextEncoder().encode('{"at":1,"turnId"'), { sync: true });
    store.appendSystem("one", "t", "after");
    const torn = store.readReport("one");
    const listed = storage.list("chats").sort();
    store.clearOrphaned(new Set(["one"]));
    const cleared = storage.list("chats");
    const big = "x".repeat(3000000);
    store.appendSystem("big", "t", big);
    const answer = { first: report.records[0], count: report.records.length, skipped: report.skippedTotal, torn: torn.skipped.map(({ reason }) => reason), last: torn.records.at(-1).text, listed, cleared, big: [...store.records("big")][0].text === big };
    storage.close();
    return answer;
  },
};
onmessage = async ({ data }) => {
  try { await ready; postMessage({ answer: await jobs[data]() }); } catch (error) { postMessage({ error: String(error && error.stack || error) }); }
};
`;

let browser: Browser;
let server: Awaited<ReturnType<typeof serve>>;
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "agent-evidence-"));
  await cp(join(import.meta.dirname, "../../pkg/dist"), join(directory, "dist"), { recursive: true });
  await writeFile(join(directory, "worker.js"), WORKER);
  await writeFile(join(directory, "index.html"), "<!doctype html><title>transcripts</title>");
  server = await serve(directory);
  browser = await launchChromium();
});

afterAll(async () => {
  await browser?.close();
  await server?.close();
  await rm(directory, { recursive: true, force: true });
});

test("a worker keeps transcripts in the origin's private file system, across workers", async () => {
  const page = await browser.newPage();
  await page.goto(`${server.origin}/index.html`);
  const run = async (job: string) => {
    const { answer, error } = await page.evaluate((name) => new Promise<{ answer?: unknown; error?: string }>((resolve) => {
      const worker = new Worker("/worker.js", { type: "module" });
      worker.onerror = (event) => resolve({ error: event.message });
      worker.onmessage = ({ data }) => {
        worker.terminate();
        resolve(data);
      };
      worker.postMessage(name);
    }), job);
    expect(error).toBeUndefined();
    return answer;
  };
  expect(await run("fill")).toEqual({ refused: ["STORAGE_FAILED", "NO_SPARE_FILE"], second: "NoModificationAllowedError", path: "chats/one.jsonl", one: 21, two: [], three: 1, closed: "CLOSED" });
  expect(await run("reopen")).toEqual({
    first: { at: 1, turnId: "t", kind: "user", text: "é漢😀\r\n", seats: ["k"] },
    count: 21,
    skipped: 0,
    torn: ["torn"],
    last: "after",
    listed: ["one.jsonl", "three.jsonl"],
    cleared: ["one.jsonl"],
    big: true,
  });
  await page.close();
});

test("a tab keeps them in memory, and says what is missing without a storage", async () => {
  const page = await browser.newPage();
  await page.goto(`${server.origin}/index.html`);
  const answer = await page.evaluate(`(async () => {
    const { ChatTranscriptStore, defaultChatTranscriptsDir, init } = await import("/dist/transcripts.js");
    const { memoryTranscriptStorage } = await import("/dist/memory/index.js");
    await init();
    let code;
    try {
      new ChatTranscriptStore();
    } catch (error) {
      code = error.code;
    }
    const store = new ChatTranscriptStore({ storage: memoryTranscriptStorage() });
    store.appendUser("c", "t", "é漢😀", []);
    return { code, directory: defaultChatTranscriptsDir(), text: store.read("c")[0].text };
  })()`);
  expect(answer).toEqual({ code: "HOST_REQUIRED", directory: "chats", text: "é漢😀" });
  await page.close();
});
