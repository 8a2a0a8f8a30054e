/** The browser entry: what a page may give `init`, and what it says before. */
import { expect, test } from "vitest";
import { packagePages } from "../support/browser.js";

/** The script sees `evidence` and `wasm`. */
const inPage = packagePages(`
  const evidence = await import("/dist/index.js");
  const wasm = "/dist/wasm/agent_evidence_bg.wasm";`);

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
