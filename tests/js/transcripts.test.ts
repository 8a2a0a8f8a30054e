import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test, vi } from "vitest";
import { CHAT_TRANSCRIPTS_DIRNAME, ChatTranscriptStore, cutDecisions, DecisionFence, DECISIONS_MARKER, defaultChatTranscriptsDir, EvidenceError, foldTranscript, LIMITS, rewriteHostPaths, withRootAliases, type TranscriptStorage } from "agent-evidence/transcripts";
import { memoryTranscriptStorage } from "agent-evidence/memory";

const base = mkdtempSync(join(tmpdir(), "agent-evidence-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const ITEM = { raw: "src/a.ts:3", kind: "line", status: "verified" } as const;
const COUNTS = { verified: 1, unverifiable: 0, corrected: 0, unchecked: 0 };
const BLOCK = "```wicked-decisions\n{\"é\": \"漢😀\"}\n```";
const reply = (text: unknown, more: object = {}) => ({ type: "chatReply", chat: "c", cliKey: "k", turn_id: "t", ok: true, text, ...more }) as never;

function memory() {
  const storage = memoryTranscriptStorage();
  return { storage, store: new ChatTranscriptStore({ dir: "/chats", storage, now: () => 1_700_000_000_000.9 }) };
}

function refusal(run: () => unknown): EvidenceError {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(EvidenceError);
    return error as EvidenceError;
  }
  throw new Error("nothing was thrown");
}

describe("a record", () => {
  test("is one line, read back as it was given", () => {
    const { store, storage } = memory();
    const text = "é漢😀\r\n\u0000\"\\\u2028";
    store.appendUser("c", "t", text, ["a", "b"], [{ name: "x.png", size: 1, deep: [null] }]);
    store.appendUser("c", "t2", "", [], []);
    store.appendSystem("c", "t", text);
    store.observe(reply(text, { usage: { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheCreationTokens: 4, costUsd: null } }));
    store.recordCitations({ chat: "c", cliKey: "k", turn_id: "t", ...COUNTS, items: [ITEM] });
    store.recordDecisions({ chat: "c", turnId: "t", items: [{ id: 1 }] });
    const at = 1_700_000_000_000;
    const expected = [
      { at, turnId: "t", kind: "user", text, seats: ["a", "b"], attachments: [{ name: "x.png", size: 1, deep: [null] }] },
      { at, turnId: "t2", kind: "user", text: "", seats: [] },
      { at, turnId: "t", kind: "system", text },
      { at, turnId: "t", kind: "seat", cliKey: "k", text, ok: true, usage: { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheCreationTokens: 4, costUsd: null } },
      { at, turnId: "t", kind: "citations", cliKey: "k", ...COUNTS, items: [ITEM] },
      { at, turnId: "t", kind: "decisions", items: [{ id: 1 }] },
    ];
    expect(store.read("c")).toEqual(expected);
    expect([...store.records("c")]).toEqual(expected);
    expect(new TextDecoder().decode(storage.files.get("/chats/c.jsonl"))).toBe(expected.map((record) => `${JSON.stringify(record)}\n`).join(""));
  });

  test("holds U+FFFD for a lone surrogate, one unit for one", () => {
    const { store } = memory();
    store.appendSystem("c", "t", "a\ud83d b");
    expect(store.read("c")).toMatchObject([{ text: "a\ufffd b" }]);
  });

  test("is made only of a stamped reply", () => {
    const { store } = memory();
    for (const frame of [reply("x", { turn_id: undefined }), reply("x", { turn_id: "" }), reply("x", { type: "chatDelta" }), reply(7), reply("x", { chat: undefined }), reply("x", { cliKey: 1 }), {} as never]) store.observe(frame);
    store.recordCitations({ chat: "c", cliKey: "k", ...COUNTS, items: [] });
    store.recordDecisions({ chat: "c", turnId: "t", items: [] });
    expect(store.readReport("c")).toEqual({ records: [], skipped: [], skippedTotal: 0, unreadable: null });
    store.observe(reply("gone", { ok: false, usage: { inputTokens: "many" } }));
    expect(store.read("c")).toMatchObject([{ kind: "seat", ok: false, usage: null }]);
  });

  test("has the system's time when the clock answers nonsense", () => {
    const before = Date.now();
    for (const now of [() => NaN, () => "x", () => undefined]) {
      const store = new ChatTranscriptStore({ storage: memoryTranscriptStorage(), now: now as never });
      store.appendSystem("c", "t", "x");
      expect(store.read("c")[0]!.at).toBeGreaterThanOrEqual(before);
    }
  });
});

describe("a dropped chat", () => {
  test("is brought back by nothing but its user or its roots", () => {
    const { store, storage } = memory();
    store.appendUser("c", "t", "x", []);
    store.drop("c");
    store.observe(reply("late"));
    store.recordCitations({ chat: "c", cliKey: "k", turn_id: "t", ...COUNTS, items: [] });
    store.recordDecisions({ chat: "c", turnId: "t", items: [] });
    expect([storage.files.size, store.read("c")]).toEqual([0, []]);
    store.drop("c");
    store.registerRoots("c", []);
    store.observe(reply("again"));
    expect(store.read("c")).toHaveLength(1);
  });

  test("is one of many that a start clears, and only transcripts are", () => {
    const dir = join(base, "clear");
    const store = new ChatTranscriptStore({ dir });
    store.clearOrphaned(new Set());
    for (const id of ["a", "b", "kept"]) store.appendSystem(id, "t", "x");
    mkdirSync(join(dir, "folder.jsonl"));
    for (const name of ["notes.txt", "a.jsonl.bak", "with space.jsonl", ".jsonl"]) writeFileSync(join(dir, name), "");
    store.clearOrphaned(new Set(["kept", "not-there"]));
    expect(["a.jsonl", "b.jsonl", "kept.jsonl", "folder.jsonl", "notes.txt", "a.jsonl.bak", "with space.jsonl", ".jsonl"].map((name) => existsSync(join(dir, name)))).toEqual([false, false, true, true, true, true, true, true]);
  });
});

describe("privacy", () => {
  test("modes are enforced on every open, whatever the umask and what was there", () => {
    const umask = process.umask(0);
    try {
      const dir = join(base, "private", "state", "chats");
      const store = new ChatTranscriptStore({ dir });
      const modes = () => [dir, store.pathOf("c")!].map((path) => (statSync(path).mode & 0o777).toString(8));
      store.appendSystem("c", "t", "x");
      expect(modes()).toEqual(["700", "600"]);
      expect((statSync(join(base, "private")).mode & 0o077)).toBe(0);
      chmodSync(dir, 0o777);
      chmodSync(store.pathOf("c")!, 0o666);
      store.appendSystem("c", "t", "y");
      expect(modes()).toEqual(["700", "600"]);
      chmodSync(store.pathOf("c")!, 0o644);
      expect(store.read("c")).toHaveLength(2);
      expect(modes()[1]).toBe("600");
    } finally {
      process.umask(umask);
    }
  });

  test("a directory that is everyone's is refused, not closed", () => {
    const shared = join(base, "shared");
    mkdirSync(shared);
    chmodSync(shared, 0o1777);
    expect(refusal(() => new ChatTranscriptStore({ dir: shared }).appendSystem("c", "t", "x")).details).toMatchObject({ operation: "ensureDir", reason: "SHARED_DIRECTORY" });
    expect(statSync(shared).mode & 0o7777).toBe(0o1777);
    expect(refusal(() => new ChatTranscriptStore({ dir: "/" }).appendSystem("c", "t", "x")).details.reason).toBe("TOP_DIRECTORY");
  });

  test("an id that tries to leave is never a path", () => {
    const dir = join(base, "ids", "chats");
    const store = new ChatTranscriptStore({ dir });
    const outside = join(base, "ids", "out.jsonl");
    mkdirSync(join(base, "ids"), { recursive: true });
    writeFileSync(outside, '{"at":1,"turnId":"t","kind":"system","text":"x"}\n');
    for (const id of ["", ".", "..", "../out", "a/../../out", "..\\out", "/etc/passwd", "a\0", "a\n", "é", "a b", "%2e%2e", "x".repeat(201)]) {
      expect(store.pathOf(id)).toBeNull();
      store.registerRoots(id, []);
      store.appendUser(id, "t", "x", []);
      store.appendSystem(id, "t", "x");
      store.observe(reply("x", { chat: id }));
      store.recordCitations({ chat: id, cliKey: "k", turn_id: "t", ...COUNTS, items: [] });
      store.recordDecisions({ chat: id, turnId: "t", items: [] });
      expect([store.read(id), [...store.records(id)], store.takeDecisionsBlock(id, "k")]).toEqual([[], [], null]);
      store.drop(id);
    }
    expect(existsSync(dir)).toBe(false);
    expect(readFileSync(outside, "utf8")).toContain('"x"');
    expect(store.pathOf("x".repeat(200))).toBe(join(dir, `${"x".repeat(200)}.jsonl`));
    expect(store.pathOf("...")).toBe(join(dir, "....jsonl"));
  });

  test("no error repeats what was said", () => {
    const secret = "the secret words";
    const failing = { ...memoryTranscriptStorage(), append: () => { throw Object.assign(new Error(secret), { code: secret }); } };
    const error = refusal(() => new ChatTranscriptStore({ storage: failing }).appendSystem("c", "t", secret));
    expect(error).toMatchObject({ code: "STORAGE_FAILED", details: { operation: "append", reason: "Error" } });
    const { store } = memory();
    const errors = [
      error,
      refusal(() => store.appendUser("c", "t", secret, [1 as never])),
      refusal(() => store.appendUser("c", "t", secret, [], [secret as never])),
      refusal(() => store.recordDecisions({ chat: "c", turnId: "t", items: [secret as never] })),
      refusal(() => store.recordDecisions({ chat: "c", turnId: "t", items: { secret } as never })),
    ];
    for (const { message, details } of errors) expect(message + JSON.stringify(details)).not.toContain("secret");
    expect(store.read("c")).toEqual([]);
  });
});

test("the default directory is in the state home", () => {
  vi.stubEnv("XDG_STATE_HOME", "/state");
  expect(defaultChatTranscriptsDir()).toBe("/state/agent-evidence/chats");
  vi.stubEnv("XDG_STATE_HOME", "relative");
  expect(defaultChatTranscriptsDir()).toBe(join(homedir(), ".local/state/agent-evidence", CHAT_TRANSCRIPTS_DIRNAME));
  vi.unstubAllEnvs();
  expect(new ChatTranscriptStore().directory).toBe(defaultChatTranscriptsDir());
});

test("misuse is refused before anything happens, and the next call works", () => {
  const { store, storage } = memory();
  const cyclic: Record<string, unknown> = {};
  cyclic["self"] = cyclic;
  const cases: [string, string, () => unknown][] = [
    ["UNKNOWN_OPTION", "opts.directory", () => new ChatTranscriptStore({ directory: "x" } as never)],
    ["INVALID_ARGUMENT", "opts.dir", () => new ChatTranscriptStore({ dir: "" })],
    ["INVALID_ARGUMENT", "opts.now", () => new ChatTranscriptStore({ now: 5 as never })],
    ["INVALID_ARGUMENT", "opts.fsync", () => new ChatTranscriptStore({ fsync: "sometimes" as never })],
    ["INVALID_ARGUMENT", "opts.decisionsMarker", () => new ChatTranscriptStore({ decisionsMarker: "a b" })],
    ["MISSING_HOST_METHOD", "opts.storage.read", () => new ChatTranscriptStore({ storage: { ...memoryTranscriptStorage(), read: undefined } as never })],
    ["INVALID_ARGUMENT", "chatId", () => store.pathOf(7 as never)],
    ["INVALID_ARGUMENT", "chatId", () => store.read(undefined as never)],
    ["INVALID_ARGUMENT", "turnId", () => store.appendUser("c", "", "x", [])],
    ["INVALID_ARGUMENT", "seats[1]", () => store.appendUser("c", "t", "x", ["a", null as never])],
    ["INVALID_ARGUMENT", "attachments", () => store.appendUser("c", "t", "x", [], [cyclic])],
    ["INVALID_ARGUMENT", "attachments", () => store.appendUser("c", "t", "x", [], "x" as never)],
    ["INVALID_ARGUMENT", "frame.verified", () => store.recordCitations({ chat: "c", cliKey: "k", turn_id: "t", ...COUNTS, verified: -1, items: [] })],
    ["INVALID_ARGUMENT", "frame.items", () => store.recordCitations({ chat: "c", cliKey: "k", turn_id: "t", ...COUNTS, items: [1] as never })],
    ["INVALID_ARGUMENT", "frame.items", () => store.recordDecisions({ chat: "c", turnId: "t", items: [1n] as never })],
    ["INVALID_ARGUMENT", "repos[0].absRoot", () => store.registerRoots("c", [{ name: "x" } as never])],
    ["INVALID_ARGUMENT", "stamped", () => store.observe(null as never)],
    ["INVALID_ARGUMENT", "retainedChatIds", () => store.clearOrphaned(["a"] as never)],
    ["INVALID_ARGUMENT", "records[0].turnId", () => foldTranscript([{ kind: "user" } as never])],
    ["INVALID_ARGUMENT", "text", () => rewriteHostPaths(1 as never, [])],
    ["UNKNOWN_OPTION", "opts.win", () => rewriteHostPaths("", [], { win: true } as never)],
    ["INVALID_ARGUMENT", "opts.decisionsMarker", () => new DecisionFence({ marker: "`" })],
  ];
  for (const [code, field, run] of cases) expect(refusal(run), field).toMatchObject({ code, details: { field } });
  expect(storage.files.size).toBe(0);
  store.appendSystem("c", "t", "x");
  expect(store.read("c")).toHaveLength(1);
});

test("a storage that answers nonsense is a failure, not a crash", () => {
  for (const read of [() => -1, () => 1.5, () => 1e9, () => "x", () => { throw undefined; }]) {
    const store = new ChatTranscriptStore({ storage: { ...memoryTranscriptStorage(), read: read as TranscriptStorage["read"] } });
    expect(store.read("c")).toEqual([]);
    expect(store.readReport("c").unreadable).toMatch(/^(WRONG_ANSWER|UNKNOWN)$/);
  }
  const store = new ChatTranscriptStore({ storage: { ...memoryTranscriptStorage(), list: () => null as never } });
  expect(refusal(() => store.clearOrphaned(new Set())).details.reason).toBe("WRONG_ANSWER");
});

describe("an event", () => {
  test("is rewritten to what everyone may see, or comes back as it is", () => {
    const { store } = memory();
    store.registerRoots("c", [{ absRoot: "/tmp/crew-not-there", name: "crew" }]);
    const plain = reply("nothing /tmp/crew-not-there2 \ud83d");
    expect(store.rewriteEvent(plain)).toBe(plain);
    for (const event of [reply(5), reply("x", { chat: 1 }), reply("x", { type: "chatClosed" }), {} as never]) expect(store.rewriteEvent(event)).toBe(event);
    const given = reply(`see /private/tmp/crew-not-there/a.ts\n${BLOCK}\n`);
    const seen = store.rewriteEvent(given);
    expect(seen).toEqual(reply("see crew/a.ts"));
    expect(given).toMatchObject({ text: expect.stringContaining("/private") });
    store.observe(seen);
    expect(store.read("c")).toMatchObject([{ text: "see crew/a.ts" }]);
    expect(store.takeDecisionsBlock("c", "k")).toBe('{"é": "漢😀"}');
    expect(store.takeDecisionsBlock("c", "k")).toBeNull();
    store.registerRoots("c", []);
    expect(store.rewriteEvent(reply("/tmp/crew-not-there/a"))).toEqual(reply("/tmp/crew-not-there/a"));
  });

  test("of a stream never shows a block, in `text` or in `delta`, and no half of a pair is lost", () => {
    for (const field of ["text", "delta"]) {
      const { store } = memory();
      const whole = `a 😀\n${BLOCK}\nb 😀 \`\`\`wicked-decisions c`;
      let shown = "";
      for (const unit of whole.split("")) shown += (store.rewriteEvent({ type: "chatDelta", chat: "c", cliKey: "k", turn_id: "t", [field]: unit }) as Record<string, any>)[field];
      expect(shown).toBe("a 😀\nb 😀 ```wicked-decisions c");
      const same = { type: "chatDelta", chat: "c", cliKey: "k", turn_id: "t", [field]: "plain" };
      expect(store.rewriteEvent(same)).toBe(same);
    }
  });
});

test("a transcript is folded onto its turns, the records the same objects", () => {
  const { store } = memory();
  store.appendUser("c", "t", "question", ["k", "l"]);
  store.observe(reply("one"));
  store.observe(reply("two", { cliKey: "l" }));
  store.recordCitations({ chat: "c", cliKey: "k", turn_id: "t", ...COUNTS, items: [ITEM] });
  store.recordDecisions({ chat: "c", turnId: "t", items: [{ id: 1 }] });
  store.recordDecisions({ chat: "c", turnId: "t", items: [{ id: 2 }] });
  const records = store.read("c");
  const turns = foldTranscript(records);
  expect(turns).toEqual([{ turnId: "t", user: records[0], system: [], replies: [{ reply: records[1], citations: records[3] }, { reply: records[2], citations: null }], decisions: [{ id: 1 }, { id: 2 }], unattached: [] }]);
  expect(turns[0]!.replies[0]!.reply).toBe(records[1]);
  expect(foldTranscript([])).toEqual([]);
});

describe("host paths", () => {
  test("without a root the string comes back as it is, lone surrogates and all", () => {
    const text = "a \ud83d /home/u/crew-old é";
    expect(rewriteHostPaths(text, [{ absRoot: "/home/u/crew", name: "crew" }, { absRoot: "/", name: "top" }])).toBe(text);
    expect(rewriteHostPaths(text, [])).toBe(text);
    expect(rewriteHostPaths("漢 \ud83d /home/u/crew/é", [{ absRoot: "/home/u/crew", name: "$&" }])).toBe("漢 \ufffd $&/é");
    expect(rewriteHostPaths("/c/Repo/a \\C\\repo", [{ absRoot: "/c/repo", name: "r" }], { windows: true })).toBe("r/a r");
  });

  test("aliases come from the file system, and from nothing when it fails", () => {
    const real = join(base, "real-repo");
    mkdirSync(real);
    const roots = [{ absRoot: "/tmp/x", name: "x" }];
    expect(withRootAliases(roots, () => { throw new Error(); })).toEqual([...roots, { absRoot: "/private/tmp/x", name: "x" }]);
    expect(withRootAliases(roots, () => 5 as never)).toHaveLength(2);
    expect(withRootAliases(roots, () => "/data/x")).toContainEqual({ absRoot: "/data/x", name: "x" });
    expect(withRootAliases([{ absRoot: join(real, "..", "real-repo"), name: "r" }]).map((root) => root.absRoot)).toContain(real);
    expect(refusal(() => withRootAliases(roots, 5 as never)).details.field).toBe("realpath");
  });
});

describe("the decision fence", () => {
  test("is cut from a whole text, which is the same without one", () => {
    expect(cutDecisions(`a\n\n${BLOCK}\n`)).toEqual({ text: "a", block: '{"é": "漢😀"}' });
    expect(cutDecisions("a \ud83d ```wicked-decisions")).toEqual({ text: "a \ud83d ```wicked-decisions", block: null });
    expect(cutDecisions("a\n~~~mine\n1\n~~~", { marker: "mine" })).toEqual({ text: "a", block: "1" });
    expect(DECISIONS_MARKER).toBe("wicked-decisions");
  });

  test("split between any two units gives what the whole gives", () => {
    const text = `😀 a\n> - ${BLOCK}\n\n${BLOCK}\né\r\n\`\`\`\`md\n${BLOCK}\n\`\`\`\`\n~~~`;
    const whole = cutDecisions(text);
    for (let at = 0; at <= text.length; at += 1) {
      const fence = new DecisionFence();
      const out = fence.push(text.slice(0, at)) + fence.push(text.slice(at)) + fence.finish();
      expect(out.trimEnd()).toBe(whole.text.trimEnd());
      expect(fence.takeBlock()).toBe(whole.block);
    }
    const fence = new DecisionFence();
    expect([...text].map((piece) => fence.push(piece)).join("") + fence.finish()).toBe(whole.text);
  });

  test("holds back a bounded piece of hostile text", () => {
    for (const piece of [" ", "`", "> ", "- "]) {
      const fence = new DecisionFence();
      const text = piece.repeat(80_000);
      let out = "";
      for (let at = 0; at < text.length; at += 997) {
        out += fence.push(text.slice(at, at + 997));
        expect(fence.held).toBeLessThanOrEqual(LIMITS["MAX_FENCE_LINE_BYTES"]!.value);
      }
      expect(out + fence.finish()).toBe(text);
    }
  });
});

test("memory keeps a file given to it as it is", () => {
  const { store, storage } = memory();
  const given = new TextEncoder().encode('{"at":1,"turnId":"t","kind":"system","text":"x"}');
  storage.files.set("/chats/c.jsonl", given);
  store.appendSystem("c", "t", "y");
  expect(given).toHaveLength(48);
  expect(store.read("c").map((record) => record.kind === "system" && record.text)).toEqual(["x", "y"]);
  storage.files.set("/chats/sub/d.jsonl", given);
  storage.files.set("/chats-other/e.jsonl", given);
  store.clearOrphaned(new Set());
  expect([...storage.files.keys()]).toEqual(["/chats/sub/d.jsonl", "/chats-other/e.jsonl"]);
});
