/** The packed tarball in the hands of its users: installed alone, outside the repository. */
import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync, mkdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchChromium, serve } from "../support/browser.js";

const root = join(import.meta.dirname, "../..");
const modules = join(root, "node_modules");
const place = mkdtempSync(join(tmpdir(), "agent-evidence-pack-"));
let tarball = "";
let browser: Browser;

function run(program: string, args: string[], cwd: string): string {
  try {
    return execFileSync(program, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${program} ${args.join(" ")}\n${stdout}${stderr}`, { cause: error });
  }
}

function consumer(name: string): string {
  const directory = join(place, name);
  cpSync(join(import.meta.dirname, "consumers", name), directory, { recursive: true });
  run("npm", ["init", "-y"], directory);
  run("npm", ["install", "--no-audit", "--no-fund", "--offline", tarball], directory);
  return directory;
}

function wasmFiles(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".wasm"));
}

async function titleOf(address: string, wanted: RegExp): Promise<string> {
  const page = await browser.newPage();
  const problems: string[] = [];
  page.on("console", (message) => message.type() === "error" && !message.text().includes("favicon") && problems.push(message.text()));
  page.on("pageerror", (error) => problems.push(error.message));
  await page.goto(address);
  await page.waitForFunction((pattern) => new RegExp(pattern).test(document.title), wanted.source, { timeout: 60_000 }).catch(() => {});
  const title = await page.title();
  await page.close();
  expect(problems.filter((problem) => !/404/.test(problem))).toEqual([]);
  return title;
}

beforeAll(async () => {
  const [packed] = JSON.parse(run("npm", ["pack", "--json", "--pack-destination", place], join(root, "pkg"))) as [{ filename: string }];
  tarball = join(place, packed.filename);
  browser = await launchChromium();
});

afterAll(async () => {
  await browser?.close();
  rmSync(place, { recursive: true, force: true });
});

test("a Node ESM program imports every entry, and one engine serves them all", () => {
  const directory = consumer("node-esm");
  expect(run("node", ["--no-warnings", "index.mjs"], directory).trim()).toBe("agent-evidence 80 true");
  expect(wasmFiles(directory)).toHaveLength(1);
});

test("a Node CommonJS program requires every entry", () => {
  const directory = consumer("node-cjs");
  expect(run("node", ["--no-warnings", "index.cjs"], directory).trim()).toBe("agent-evidence 80 true");
  expect(wasmFiles(directory)).toHaveLength(1);
});

test.each(["ts-nodenext", "ts-bundler"])("TypeScript (%s) checks every declaration", (name) => {
  const directory = consumer(name);
  mkdirSync(join(directory, "node_modules/@types"), { recursive: true });
  symlinkSync(join(modules, "@types/node"), join(directory, "node_modules/@types/node"));
  run("node", [join(modules, "typescript/bin/tsc"), "-p", "."], directory);
  expect(wasmFiles(directory)).toHaveLength(1);
});

test("a Vite build with a web worker runs in Chromium and ships one wasm file", async () => {
  const directory = consumer("vite");
  run("node", [join(modules, "vite/bin/vite.js"), "build"], directory);
  expect(wasmFiles(join(directory, "dist"))).toHaveLength(1);
  const server = await serve(join(directory, "dist"));
  try {
    expect(await titleOf(`${server.origin}/`, /^(?!waiting)/)).toBe("NOT_INITIALIZED 80 80");
  } finally {
    await server.close();
  }
});

test("the Vite development server runs the same program", async () => {
  const directory = join(place, "vite-dev");
  cpSync(join(place, "vite"), directory, { recursive: true });
  const vite = spawn("node", [join(modules, "vite/bin/vite.js"), "--host", "127.0.0.1", "--port", "0", "--logLevel", "info"], { cwd: directory, stdio: ["ignore", "pipe", "inherit"] });
  try {
    const address = await new Promise<string>((found, failed) => {
      let output = "";
      vite.stdout.on("data", (chunk) => {
        output += String(chunk).replace(/\x1b\[[0-9;]*m/g, "");
        const match = /http:\/\/127\.0\.0\.1:\d+\//.exec(output);
        if (match) found(match[0]);
      });
      vite.on("exit", () => failed(new Error(`vite ended: ${output}`)));
    });
    expect(await titleOf(address, /^(?!waiting)/)).toBe("NOT_INITIALIZED 80 80");
  } finally {
    vite.kill("SIGKILL");
  }
});

test("a plain module script works under a strict content security policy", async () => {
  const directory = consumer("script");
  const server = await serve(directory);
  try {
    expect(await titleOf(`${server.origin}/`, /^(?!waiting)/)).toBe("ready 80");
  } finally {
    await server.close();
  }
});

test("publint and attw find nothing", () => {
  run("node", [join(modules, "publint/src/cli.js"), "run", tarball, "--strict"], root);
  run("node", [join(modules, "@arethetypeswrong/cli/dist/index.js"), tarball, "--ignore-rules", "cjs-resolves-to-esm"], root);
});

test("the tarball holds the facade, one engine, the licenses and nothing else", () => {
  const directory = join(place, "node-esm/node_modules/agent-evidence");
  const names = readdirSync(directory).sort();
  expect(names).toEqual(["LICENSE-APACHE", "LICENSE-MIT", "README.md", "dist", "package.json"]);
  expect(Object.keys(JSON.parse(readFileSync(join(directory, "package.json"), "utf8")).dependencies ?? {})).toEqual([]);
});
