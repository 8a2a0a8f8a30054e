import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createFileReadTracker, type Message } from "agent-evidence/ledger";
import { seedObservationLedger, type SeedOptions } from "agent-evidence/node";

let root: string;
let repo: string;

beforeEach(() => {
  root = realpathSync.native(mkdtempSync(join(tmpdir(), "ledger-é漢-")));
  repo = join(root, "repo");
  mkdirSync(join(repo, "src"), { recursive: true });
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

let count = 0;
function done(name: string, input: object): Message[] {
  const id = `c${(count += 1)}`;
  return [
    { role: "assistant", toolCalls: [{ id, function: { name, arguments: JSON.stringify(input) } }] },
    { role: "tool", toolCallId: id, content: "done" },
  ];
}

const write = (path: string, content = "x"): Message[] => done("write", { path, content });

function seed(messages: Message[], options: Partial<SeedOptions> = {}) {
  const tracker = createFileReadTracker();
  return { tracker, report: seedObservationLedger(messages, tracker, { workingDirectory: repo, ...options }) };
}

test("keys are real paths, through links of directories and files", () => {
  writeFileSync(join(repo, "src", "a.ts"), "x");
  symlinkSync("src", join(repo, "link"));
  symlinkSync(join("src", "a.ts"), join(repo, "alias.ts"));
  symlinkSync(repo, join(root, "other"));
  const { tracker, report } = seed([...write("link/a.ts", "x"), ...done("edit", { path: "alias.ts", old_string: "x", new_string: "y" })], { workingDirectory: join(root, "other") });
  expect(report).toMatchObject({ pathsWitnessed: 1, pathsSeen: 0 });
  expect(tracker.editChain(join(repo, "src", "a.ts"))?.editCallIds).toHaveLength(1);
});

test("a name such as ..hidden is inside, and a file need not exist any more", () => {
  const { tracker, report } = seed([...write("..hidden"), ...write("src/..é/gone.ts")]);
  expect(report.pathsWitnessed).toBe(2);
  expect([tracker.hasRead(join(repo, "..hidden")), tracker.hasRead(join(repo, "src", "..é", "gone.ts"))]).toEqual([true, true]);
});

test("a path out of the directories has no key: through .., absolute, or a link", () => {
  mkdirSync(join(root, "outside"));
  symlinkSync(join(root, "outside"), join(repo, "way-out"));
  symlinkSync(join(root, "nowhere"), join(repo, "dangling"));
  for (const path of ["../outside/a", join(root, "outside", "a"), "way-out/a", "dangling", "dangling/a"]) {
    expect(seed([...write("inside"), ...write(path)]).report, path).toMatchObject({ pathsWitnessed: 0, pathsSeen: 0 });
  }
  expect(seed(write("../outside/a"), { additionalDirectories: [join(root, "outside")] }).report.pathsWitnessed).toBe(1);
});

test("a sandbox keeps the spelling and asks no disk", () => {
  const { tracker } = seed(write("./a/../b"), { sandboxed: true, workingDirectory: join(root, "gone") });
  expect(tracker.hasRead("./a/../b")).toBe(true);
});

test("a working directory that is gone establishes nothing", () => {
  expect(seed(write("a"), { workingDirectory: join(root, "gone") }).report).toEqual({ pathsWitnessed: 0, pathsSeen: 0, unitsReplayed: 0 });
});

test("1,024 spellings are resolved, one more establishes nothing", () => {
  const messages = Array.from({ length: 1_024 }, (_, index) => write(`f${index}`, "")).flat();
  expect(seed(messages).report).toMatchObject({ pathsWitnessed: 6, pathsSeen: 1_018 });
  expect(seed([...messages, ...write("one-more", "")]).report).toMatchObject({ pathsWitnessed: 0, pathsSeen: 0 });
});

test("options are checked", () => {
  expect(() => seedObservationLedger([], createFileReadTracker(), {} as never)).toThrow(/workingDirectory/);
  expect(() => seed([], { wrong: 1 } as never)).toThrow(/wrong/);
});
