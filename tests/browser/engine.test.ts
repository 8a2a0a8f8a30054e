/** The browser entry: what a page may give `init`, and what it says before. */
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchChromium, serve } from "../support/browser.js";

let browser: Browser;
let server: Awaited<ReturnType<typeof serve>>;

beforeAll(async () => {
  browser = await launchChromium();
  server = await serve(join(import.meta.dirname, "../../pkg"));
});

afterAll(async () => {
  await browser?.close();
  await server?.close();
});

/** Runs `script` (the body of an async function that sees `evidence` and `wasm`) in a fresh page. */
async function inPage(script: string): Promise<unknown> {
  const page = await browser.newPage();
  try {
    await page.goto(`${server.origin}/package.json`);
    return await page.evaluate(`(async () => {
      const evidence = await import("/dist/index.js");
      const wasm = "/dist/wasm/agent_evidence_bg.wasm";
      ${script}
    })()`);
  } finally {
    await page.close();
  }
}

const sources: Record<string, string> = {
  nothing: "",
  "a path": "wasm",
  "a URL": "new URL(wasm, location.href)",
  "a Response": "await fetch(wasm)",
  "a promise of a Response": "fetch(wasm)",
  bytes: "await (await fetch(wasm)).arrayBuffer()",
  "a view": "new Uint8Array(await (await fetch(wasm)).arrayBuffer())",
  "a module": "await WebAssembly.compileStreaming(fetch(wasm))",
};

for (const [name, source] of Object.entries(sources)) {
  test(`init takes ${name}`, async () => {
    expect(await inPage(`await evidence.init(${source}); return evidence.LIMITS.DEFAULT_MAX_ITEMS.value;`)).toBe(80);
  });
}

test("a call before init names the fix, and init after a failed one works", async () => {
  const answer = await inPage(`
    let early;
    try { evidence.LIMITS.DEFAULT_MAX_ITEMS; } catch (error) { early = [error.name, error.code, /await init/.test(error.message)]; }
    let failed = false;
    try { await evidence.init("/dist/no-such-file.wasm"); } catch { failed = true; }
    await evidence.init();
    return [early, failed, evidence.LIMITS.DEFAULT_MAX_ITEMS.value];`);
  expect(answer).toEqual([["EvidenceError", "NOT_INITIALIZED", true], true, 80]);
});

test("the inline entry is ready at import", async () => {
  expect(await inPage(`const inline = await import("/dist/inline.js"); return inline.LIMITS.DEFAULT_MAX_ITEMS.value;`)).toBe(80);
});
