/** A real Chromium and a static server for the tests that need them. */
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import { chromium, type Browser } from "playwright-core";
import { afterAll, beforeAll } from "vitest";

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

/** Debian's Chromium, headless, with a fresh profile; `CHROMIUM` names another. */
export function launchChromium(args: string[] = []): Promise<Browser> {
  return chromium.launch({ executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium", headless: true, args: [...FLAGS, ...args] });
}

/** A static server over `directory`, below `base`. */
export async function serve(directory: string, base = "/"): Promise<{ origin: string; close(): Promise<void> }> {
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? "/", "http://localhost").pathname);
    if (!path.startsWith(base)) {
      response.writeHead(404).end();
      return;
    }
    const inside = normalize(join("/", path.slice(base.length)));
    const file = join(directory, inside.endsWith("/") ? `${inside}index.html` : inside);
    try {
      const content = await readFile(file);
      response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" }).end(content);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    close: () => new Promise((closed) => {
      server.closeAllConnections();
      server.close(() => closed());
    }),
  };
}

/**
 * Answers with a function that runs a script in a fresh page of the built package and gives what it
 * returns: the body of an async function, behind `head`. Chromium and server live as long as the test file.
 */
export function packagePages(head: string): (script: string) => Promise<unknown> {
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
  return async (script) => {
    const page = await browser.newPage();
    try {
      await page.goto(`${server.origin}/package.json`);
      return await page.evaluate(`(async () => {
        ${head}
        ${script}
      })()`);
    } finally {
      await page.close();
    }
  };
}
