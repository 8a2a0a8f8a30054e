import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  EvidenceError,
  LIMITS,
  MAX_EDIT_CALLS,
  MAX_PATH_UNITS,
  MAX_REPLAYED_UNITS,
  MAX_WITNESSED_PATHS,
  applyEdit,
  collectObservedPaths,
  createFileReadTracker,
  createPathAttributions,
  createReplayBudget,
  describeVisibleFileEvidence,
  explainLedger,
  fingerprintContent,
  indexVisibleHistory,
  knownStale,
  lexicalFileKeys,
  renderNumberedRead,
  replayHop,
  replayObservationLedger,
  spend,
  visibleCall,
  visibleEdit,
  visibleFileEvidence,
  visibleWrite,
  type FileReadTracker,
  type Message,
} from "agent-evidence/ledger";

interface Vector {
  name: string;
  workingDirectory: string;
  messages: Message[];
  expected: { report: object; ledger: Record<string, object>; evidence: object[]; observedPaths: string[] };
}

const vectors = JSON.parse(readFileSync(new URL("../data/ledger/conversations.json", import.meta.url), "utf8")) as Vector[];
const keys = lexicalFileKeys("/repo", false);

function assistant(id: string, name: string, input: unknown, metadata?: { inputTruncated?: boolean }): Message {
  const json = typeof input === "string" ? input : JSON.stringify(input);
  return { role: "assistant", content: null, toolCalls: [{ id, type: "function", function: { name, arguments: json }, ...(metadata && { metadata }) }] };
}

function receipt(id: string, content: unknown = "done", isError = false): Message {
  return { role: "tool", toolCallId: id, content, isError };
}

function done(id: string, name: string, input: unknown): Message[] {
  return [assistant(id, name, input), receipt(id)];
}

function snapshot(tracker: Required<FileReadTracker>, among: Iterable<string>): Record<string, object> {
  const ledger: Record<string, object> = {};
  for (const key of among) {
    if (!tracker.hasRead(key)) continue;
    const [writeCallId, editChain] = [tracker.writeCallId(key), tracker.editChain(key)];
    ledger[key] = { hasRead: true, fingerprint: tracker.fingerprint(key), ...(writeCallId && { writeCallId }), ...(editChain && { editChain }) };
  }
  return ledger;
}

function replayed(messages: Message[]) {
  const tracker = createFileReadTracker();
  return { tracker, report: replayObservationLedger(messages, tracker, keys) };
}

test("every conversation is judged as the vectors judge it", () => {
  expect(vectors).toHaveLength(150);
  for (const { name, workingDirectory, messages, expected } of vectors) {
    const keyOf = lexicalFileKeys(workingDirectory, false);
    const paths = collectObservedPaths(messages);
    expect(paths, name).toEqual(expected.observedPaths);
    const tracker = createFileReadTracker();
    expect(replayObservationLedger(messages, tracker, keyOf), name).toEqual(expected.report);
    expect(snapshot(tracker, paths.map((path) => keyOf(path) as string)), name).toEqual(expected.ledger);
    expect(visibleFileEvidence(messages, tracker, workingDirectory, false), name).toEqual(expected.evidence);
    const note = describeVisibleFileEvidence(messages, tracker, workingDirectory, false);
    expect(note === undefined ? [] : JSON.parse(note.slice(note.indexOf("\n") + 1)), name).toEqual(expected.evidence);
    const account = explainLedger(messages, keyOf);
    expect({ pathsWitnessed: account.pathsWitnessed, pathsSeen: account.pathsSeen, unitsReplayed: account.unitsReplayed }, name).toEqual(expected.report);
  }
});

test("the constants are the engine's limits", () => {
  for (const [name, value] of Object.entries({ MAX_EDIT_CALLS, MAX_PATH_UNITS, MAX_REPLAYED_UNITS, MAX_WITNESSED_PATHS })) {
    expect(LIMITS[name]?.value, name).toBe(value);
  }
});

describe("the caller's own objects", () => {
  test("come back by identity, and an ambiguous id as null", () => {
    const [write, answer] = done("w", "write", { path: "a", content: "x" }) as [Message, Message];
    const twice = [assistant("t", "read", { path: "a" }), assistant("t", "bash", {})];
    const early = receipt("late");
    const messages = [early, write, answer, ...twice, ...done("r", "read", { path: "a" }), receipt("r"), assistant("late", "write", { path: "b", content: "" })];
    const history = indexVisibleHistory(messages, keys);
    expect(history.calls.get("w")).toBe(write.toolCalls?.[0]);
    expect(history.results.get("w")).toBe(answer);
    expect(history.calls.get("t")).toBeNull();
    expect(history.results.get("r")).toBeNull();
    expect(history.results.has("late")).toBe(false);
    expect(history.keyOf).toBe(keys);
    expect(visibleCall(history, "w", "write")).toBe(write.toolCalls?.[0]);
    for (const [id, name] of [["w", "edit"], ["t", "read"], ["r", "read"], ["late", "write"], ["none", "write"]] as const) {
      expect(visibleCall(history, id, name), id).toBeUndefined();
    }
    expect(visibleWrite(history, "w")).toEqual({ path: "a", key: "/repo/a", body: "x" });
  });

  test("the attributions are a WeakMap by call object, and what they hold is not asked again", () => {
    const messages = [...done("w", "write", { path: "a", content: "x" }), ...done("x", "write", "{"), ...done("b", "bash", {})];
    const attributions = createPathAttributions();
    expect(attributions).toBeInstanceOf(WeakMap);
    expect(collectObservedPaths(messages, attributions)).toEqual(["a"]);
    expect(attributions.get(messages[0]?.toolCalls?.[0] as never)).toBe("a");
    expect(attributions.get(messages[2]?.toolCalls?.[0] as never)).toBeNull();
    attributions.set(messages[0]?.toolCalls?.[0] as never, "b");
    expect(collectObservedPaths(messages, attributions)).toEqual(["b"]);
  });

  test("keyOf is asked once a spelling, and a throw or nonsense is no key", () => {
    const messages = [...done("1", "write", { path: "a", content: "x" }), ...done("2", "edit", { path: "a", old_string: "x", new_string: "y" }), ...done("3", "read", { path: "./a" })];
    const asked: string[] = [];
    const report = replayObservationLedger(messages, createFileReadTracker(), (path) => (asked.push(path), path.startsWith(".") ? (7 as never) : path));
    expect([asked, report.pathsWitnessed]).toEqual([["a", "./a"], 1]);
    const thrown = explainLedger(messages, () => { throw new Error("no"); });
    expect(thrown.stopped).toEqual({ reason: "no-key", callId: "1", messageIndex: 0 });
  });
});

describe("exactness", () => {
  test("bodies with every ending, a mark, emptiness, emoji and no final newline are carried exactly", () => {
    for (const body of ["", "\n", "é漢😀", "a\r\nb\r\n", "a\nb\r\nc", "\uFEFFa\n", "a\rb", "\u2028x\u0000", "x".repeat(31_000)]) {
      const { tracker, report } = replayed(done("w", "write", { path: "a", content: body }));
      expect([tracker.fingerprint("/repo/a"), report.unitsReplayed], JSON.stringify(body.slice(0, 9))).toEqual([fingerprintContent(body).slice(0, 16), body.length]);
    }
  });

  test("half of a surrogate pair is never carried, raw or escaped", () => {
    const calls = [
      JSON.stringify({ path: "a", content: "\ud800" }),
      '{"path":"a","content":"x\ud83d"}',
      '{"path":"a","content":"\\ude00\\ud83d"}',
    ];
    for (const json of calls) expect(replayed(done("w", "write", json)).report).toEqual({ pathsWitnessed: 0, pathsSeen: 1, unitsReplayed: 0 });
    const edited = [...done("w", "write", { path: "a", content: "😀" }), ...done("e", "edit", { path: "a", old_string: "\ud83d", new_string: "" })];
    expect(replayed(edited).report.pathsWitnessed).toBe(0);
    const shown = [...done("w", "write", { path: "a", content: "\ufffd" }), assistant("r", "read", { path: "a" }), receipt("r", "1\t\ud800")];
    expect(replayed(shown).report.pathsWitnessed).toBe(0);
    expect(explainLedger(done("w", "write", '{"path":"\ud800","content":""}'), keys).stopped?.reason).toBe("no-path");
    expect(applyEdit("\ud800a", { old_string: "a", new_string: "b" })).toBeUndefined();
    expect(() => renderNumberedRead("\ud800")).toThrow(EvidenceError);
    expect(keys("\ud800")).toBeUndefined();
  });

  test("a long chain and one more", () => {
    const body = "line 😀\r\n".repeat(2_500);
    const edits = Array.from({ length: 9 }, (_, index) => done(`e${index}`, "edit", { path: "a", insertLine: index, newStr: `${index}\n` }));
    const messages = [...done("w", "write", { path: "a", content: body }), ...edits.flat()];
    const whole = replayObservationLedger(messages.slice(0, -2), createFileReadTracker(), keys, undefined, { maxReplayedUnits: 1e6 });
    expect(whole.unitsReplayed).toBe(9 * body.length + 3 * 36);
    expect(replayed(messages.slice(0, -2)).report.unitsReplayed).toBe(whole.unitsReplayed);
    expect(explainLedger(messages, keys, { maxReplayedUnits: 1e6 }).paths[0]?.reason).toBe("chain-too-long");
    expect(explainLedger(messages.slice(0, -2), keys, { maxReplayedUnits: 50_000 }).paths[0]?.reason).toBe("over-budget");
  });

  test("a body overwritten before anything looked at it takes no room from others", () => {
    const body = "x".repeat(30_000);
    const messages = Array.from({ length: 50 }, (_, index) => done(`w${index}`, "write", { path: "a", content: body })).flat();
    const { report } = replayed(messages);
    expect(report.pathsWitnessed).toBe(1);
    expect(report.unitsReplayed).toBeLessThanOrEqual(MAX_REPLAYED_UNITS);
  });
});

describe("edits", () => {
  const cases: [string, unknown, string | undefined][] = [
    ["a\r\nb\r\n", { old_string: "a\nb", new_string: "c\nd" }, "c\r\nd\r\n"],
    ["a\nb\n", { old_string: "a\r\nb", new_string: "c\r\nd" }, "c\nd\n"],
    ["a\nb\r\n", { old_string: "a\nb", new_string: "c\nd" }, "c\nd\r\n"],
    ["aaa", { old_string: "aa", new_string: "b" }, undefined],
    ["aaaa", { old_string: "a", new_string: "bé", replace_all: true }, "bébébébé"],
    ["aXa", { edits: [{ old_string: "X", new_string: "YYYY" }, { old_string: "YYYY", new_string: "" }] }, "aa"],
    ["aXa", { edits: [{ old_string: "X", new_string: "Y" }, { old_string: "none", new_string: "" }] }, undefined],
    ["a\nb", { insertLine: "end", new_string: "c\n" }, "a\nb\nc"],
    ["a\nb\n", { insertLine: "EOF", new_string: "c" }, "a\nb\nc\n"],
    ["a\r\nb\r\n", { insertLine: 1, newStr: "x" }, "a\r\nx\r\nb\r\n"],
    ["a\n", { insertLine: 99, newStr: "x\n" }, "a\nx\n"],
    ["a\n", { insertLine: 0, newStr: "" }, "\na\n"],
    ["", { insertLine: 0, newStr: "é" }, "é"],
    ["x", { old_string: "", new_string: "y" }, undefined],
    ["x", null, undefined],
    ["x", { insertLine: true, newStr: "" }, undefined],
  ];
  test.each(cases)("%j with %j", (body, input, result) => {
    expect(applyEdit(body, input)).toBe(result);
    const budget = createReplayBudget();
    expect(replayHop(body, input, budget)).toBe(result);
  });

  test("a budget pays for what was built and a refusal costs nothing", () => {
    const budget = createReplayBudget(10);
    expect(spend(budget, 11)).toBe(false);
    expect(spend(budget, 4)).toBe(true);
    expect(replayHop("1234567", { old_string: "1", new_string: "2" }, budget)).toBeUndefined();
    expect(budget.remaining).toBe(6);
    expect(replayHop("1", { edits: [{ old_string: "1", new_string: "12345" }, { old_string: "12345", new_string: "1" }] }, budget)).toBe("1");
    expect(budget.remaining).toBe(1);
    expect(spend(createReplayBudget(Number.MAX_SAFE_INTEGER), Number.MAX_SAFE_INTEGER - 1)).toBe(true);
    expect([spend({ remaining: Infinity }, 5), spend({ remaining: NaN }, 5), spend({ remaining: -1 }, 5)]).toEqual([true, false, false]);
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    expect(replayHop("1", cycle, budget)).toBeUndefined();
  });
});

describe("receipts", () => {
  const write = { path: "a", content: "x" };
  const reasons: [string, Message[], string][] = [
    ["unanswered", [assistant("w", "write", write)], "unanswered"],
    ["before its call", [receipt("w"), assistant("w", "write", write)], "unanswered"],
    ["an error", [assistant("w", "write", write), receipt("w", "no", true)], "refused"],
    ["cleared", [assistant("w", "write", write), receipt("w", "[tool output cleared] gone")], "receipt-cleared"],
    ["skipped", [assistant("w", "write", write), receipt("w", "Tool write skipped by plugin: why")], "skipped-by-plugin"],
    ["no text", [assistant("w", "write", write), receipt("w", [{ type: "text" }])], "receipt-not-text"],
    ["cut", [assistant("w", "write", write, { inputTruncated: true }), receipt("w")], "arguments-cut"],
    ["too long", done("w", "write", { path: "a", content: "x".repeat(32_000) }), "arguments-too-long"],
    ["a long id", done("w".repeat(257), "write", write), "id-too-long"],
    ["a long path", done("w", "write", { path: "a".repeat(513), content: "" }), "path-too-long"],
    ["an unknown key", done("w", "write", { ...write, mode: 1 }), "malformed-arguments"],
  ];
  test.each(reasons)("%s", (_, messages, reason) => {
    const account = explainLedger(messages, keys);
    expect([account.paths[0]?.outcome, account.paths[0]?.reason]).toEqual(["withdrawn", reason]);
    expect(replayed(messages).report.pathsWitnessed).toBe(0);
  });

  const stops: [string, Message[], string][] = [
    ["an id claimed twice", [...done("w", "write", write), assistant("w", "bash", {})], "claimed-twice"],
    ["an id answered twice", [...done("w", "write", write), receipt("w")], "answered-twice"],
    ["a read answered twice", [...done("w", "write", write), ...done("r", "read", { path: "a" }), receipt("r")], "answered-twice"],
    ["no path", done("w", "write", {}), "no-path"],
    ["arguments past reading", done("w", "write", JSON.stringify({ path: "a", content: "x".repeat(1_048_600) })), "no-path"],
    ["no JSON", done("w", "edit", "{'path':'a'}"), "no-path"],
  ];
  test.each(stops)("%s establishes nothing", (_, messages, reason) => {
    const before = done("first", "write", { path: "first", content: "" });
    expect(explainLedger([...before, ...messages], keys).stopped?.reason).toBe(reason);
    expect(replayed([...before, ...messages]).report).toMatchObject({ pathsWitnessed: 0, pathsSeen: 0 });
  });

  test("a read confirms only the whole", () => {
    const body = "a\r\né漢😀\n";
    const reading = (content: string, isError = false) => [...done("w", "write", { path: "a", content: body }), assistant("r", "read", { path: "a" }), receipt("r", content, isError)];
    expect(replayed(reading(renderNumberedRead(body))).report.pathsWitnessed).toBe(1);
    expect(replayed(reading("denied", true)).report.pathsWitnessed).toBe(1);
    expect(replayed(reading(renderNumberedRead(body, { readRange: [1, 2] }))).report.pathsWitnessed).toBe(0);
    expect(replayed(reading(renderNumberedRead(body).replace("é", "e"))).report.pathsWitnessed).toBe(0);
    const long = "x\n".repeat(2_500);
    const shown = [...done("w", "write", { path: "a", content: long }), assistant("r", "read", { path: "a" }), receipt("r", renderNumberedRead(long))];
    expect(replayed(shown).report.pathsWitnessed).toBe(1);
  });
});

test("only the newest paths are kept", () => {
  const messages = Array.from({ length: 8 }, (_, index) => done(`w${index}`, "write", { path: `f${index}`, content: "" })).flat();
  const { report, tracker } = replayed([...messages.slice(0, 12), ...done("e", "edit", { path: "f0", insertLine: 0, newStr: "x" }), ...messages.slice(12)]);
  expect([report.pathsWitnessed, report.pathsSeen]).toEqual([6, 2]);
  expect([tracker.hasRead("/repo/f0"), tracker.hasRead("/repo/f1"), tracker.hasRead("/repo/f2")]).toEqual([true, false, false]);
});

test("a shell call after a witness is reported where its name is given", () => {
  const messages = [...done("w", "write", { path: "a", content: "x" }), ...done("s", "bash", { command: "make" }), ...done("t", "task", {}), ...done("v", "write", { path: "b", content: "" })];
  expect(replayed(messages).report).not.toHaveProperty("shellSince");
  const report = replayObservationLedger(messages, createFileReadTracker(), keys, undefined, { shellCalls: ["bash", "task"] });
  expect(report.shellSince).toEqual([{ key: "/repo/a", callId: "s", tool: "bash" }]);
  const confirmed = [...messages, assistant("r", "read", { path: "a" }), receipt("r", "1\tx")];
  expect(replayObservationLedger(confirmed, createFileReadTracker(), keys, undefined, { shellCalls: ["bash"] }).shellSince).toEqual([]);
});

test("a tracker that throws is reported with what was written", () => {
  const messages = ["a", "b", "c"].flatMap((path) => [...done(`w${path}`, "write", { path, content: "x" }), ...done(`e${path}`, "edit", { path, old_string: "x", new_string: "y" })]);
  const calls: string[] = [];
  const tracker: FileReadTracker = {
    hasRead: () => false,
    recordRead: (key, content, id) => void calls.push(`read ${key} ${content} ${id}`),
    recordEdit: (key) => { if (key === "/repo/b") throw new Error("full"); },
    recordDriftObserved: (key) => void calls.push(`drift ${key}`),
  };
  const report = replayObservationLedger(messages, tracker, keys);
  expect(report).toMatchObject({ pathsWitnessed: 1, pathsSeen: 2, trackerFailure: { key: "/repo/b", callId: "eb", written: ["/repo/a"] } });
  expect((report.trackerFailure?.error as Error).message).toBe("full");
  expect(calls).toEqual(["read /repo/a x wa", "read /repo/b x wb", "drift /repo/b"]);
});

test("a tracker without recordEdit is told the content alone", () => {
  const calls: unknown[][] = [];
  const tracker: FileReadTracker = { hasRead: () => false, recordRead: (...values) => void calls.push(values) };
  replayObservationLedger([...done("w", "write", { path: "a", content: "x" }), ...done("e", "edit", { path: "a", old_string: "x", new_string: "y" })], tracker, keys);
  expect(calls).toEqual([["/repo/a", "x", "w"], ["/repo/a", "y"]]);
  expect(knownStale(tracker, "/repo/a")).toBe(false);
});

test("evidence follows the tracker: drift, another body and a full read", () => {
  const messages = [...done("w", "write", { path: "a", content: "x" }), assistant("r", "read", { path: "b" }), receipt("r", "1\tseen")];
  const { tracker } = replayed(messages);
  expect(describeVisibleFileEvidence(messages, tracker, "/repo", false)).toContain('"bodyInCall":"w"');
  tracker.recordDriftObserved("/repo/a");
  expect(knownStale(tracker, "/repo/a")).toBe(true);
  expect(describeVisibleFileEvidence(messages, tracker, "/repo", false)).toBeUndefined();
  tracker.recordFullRead("/repo/b", "seen", "r", fingerprintContent("1\tseen"));
  expect(visibleFileEvidence(messages, tracker, "/repo", false)).toEqual([{ path: "b", kind: "read", bodyInCall: "r", observedFingerprint: tracker.fingerprint("/repo/b") }]);
});

test("a fingerprint is the SHA-256, and a ledger may hold it whole or its start", () => {
  const hash = createHash("sha256").update("é漢😀\r\n", "utf8").digest("hex");
  expect(fingerprintContent("é漢😀\r\n")).toBe(hash);
  const messages = done("w", "write", { path: "a", content: "é漢😀\r\n" });
  for (const [fingerprint, entries] of [[hash, 1], [hash.slice(0, 16), 1], [hash.slice(0, 15), 0], ["", 0], [fingerprintContent("other"), 0]] as const) {
    const tracker: FileReadTracker = { recordRead: () => {}, hasRead: () => true, fingerprint: () => fingerprint, writeCallId: () => "w" };
    expect(visibleFileEvidence(messages, tracker, "/repo", false).map((entry) => entry.observedFingerprint), fingerprint).toEqual(entries === 1 ? [fingerprint] : []);
  }
});

test("evidence is in the order of the calls that completed the bodies, and a write outranks a read", () => {
  const messages = [
    ...done("wa", "write", { path: "a", content: "x" }),
    assistant("rb", "read", { path: "b" }), receipt("rb", "1\tseen"),
    ...done("wc", "write", { path: "c", content: "y" }),
    ...done("ea", "edit", { path: "a", old_string: "x", new_string: "z" }),
    assistant("ra", "read", { path: "a" }), receipt("ra", "1\tz"),
  ];
  const { tracker } = replayed(messages);
  tracker.recordFullRead("/repo/b", "seen", "rb", fingerprintContent("1\tseen"));
  tracker.recordFullRead("/repo/a", "z", "ra", fingerprintContent("1\tz"));
  expect(visibleFileEvidence(messages, tracker, "/repo", false).map(({ path, bodyInCall, editsInCalls }) => [path, bodyInCall, editsInCalls])).toEqual([
    ["b", "rb", undefined], ["c", "wc", undefined], ["a", "wa", ["ea"]],
  ]);
});

test("the account of a file has every step with its cost, and one reason", () => {
  const messages = [
    ...done("w", "write", { path: "a", content: "abc" }),
    ...done("e", "edit", { path: "./a", old_string: "c", new_string: "cd" }),
    assistant("r", "read", { path: "a" }), receipt("r", "1\tabcd"),
    ...done("s", "bash", {}),
    ...done("n", "edit", { path: "a", old_string: "none", new_string: "" }),
    ...done("m", "edit", { path: "a", old_string: "a", new_string: "" }),
    ...done("v", "write", { path: "b", content: "" }),
  ];
  const account = explainLedger(messages, keys, { shellCalls: ["bash"] });
  expect(account).toEqual({
    pathsWitnessed: 1,
    pathsSeen: 1,
    unitsReplayed: 13,
    shellSince: [],
    paths: [
      {
        key: "/repo/a",
        paths: ["a", "./a"],
        outcome: "withdrawn",
        reason: "no-match",
        steps: [
          { callId: "w", tool: "write", messageIndex: 0, action: "held", units: 3 },
          { callId: "e", tool: "edit", messageIndex: 2, action: "edited", units: 4 },
          { callId: "r", tool: "read", messageIndex: 4, action: "confirmed", units: 6 },
          { callId: "s", tool: "bash", messageIndex: 6, action: "shell-ran", units: 0 },
          { callId: "n", tool: "edit", messageIndex: 8, action: "withdrawn", reason: "no-match", units: 0 },
          { callId: "m", tool: "edit", messageIndex: 10, action: "ignored", reason: "no-body", units: 0 },
        ],
      },
      {
        key: "/repo/b",
        paths: ["b"],
        outcome: "witnessed",
        fingerprint: fingerprintContent("").slice(0, 16),
        bodyInCall: "v",
        editsInCalls: [],
        steps: [{ callId: "v", tool: "write", messageIndex: 12, action: "held", units: 0 }],
      },
    ],
  });
});

describe("misuse", () => {
  const wrong: [string, () => unknown, object][] = [
    ["messages", () => collectObservedPaths("x" as never), { field: "messages" }],
    ["a message", () => collectObservedPaths([{ role: "user" }, null as never]), { field: "messages[1]", index: 1 }],
    ["calls", () => collectObservedPaths([{ role: "assistant", toolCalls: {} as never }]), { field: "messages[0].toolCalls", index: 0 }],
    ["a call without function", () => collectObservedPaths([{ role: "assistant", toolCalls: [{ id: "x" } as never] }]), { field: "messages[0].toolCalls[0].function", index: 0 }],
    ["a receipt without id", () => collectObservedPaths([{ role: "tool" }]), { field: "messages[0].toolCallId", index: 0 }],
    ["an option", () => replayObservationLedger([], createFileReadTracker(), keys, undefined, { maxPath: 1 } as never), { field: "options.maxPath" }],
    ["a limit", () => replayObservationLedger([], createFileReadTracker(), keys, undefined, { maxEditCalls: -1 }), { field: "options.maxEditCalls" }],
    ["a tracker", () => replayObservationLedger([], {} as never, keys), { field: "tracker.recordRead" }],
    ["a resolver", () => replayObservationLedger([], createFileReadTracker(), "x" as never), { field: "keyOf" }],
    ["units", () => spend(createReplayBudget(), -1), { field: "units" }],
    ["a budget", () => spend({} as never, 1), { field: "budget.remaining" }],
    ["a range", () => renderNumberedRead("a", { readRange: [2, 1] }), { field: "window.readRange" }],
    ["a range of one", () => renderNumberedRead("a", { readRange: [1] as never }), { field: "window.readRange" }],
  ];
  test.each(wrong)("%s is named", (_, run, details) => {
    expect(run).toThrow(EvidenceError);
    try {
      run();
    } catch (error) {
      expect((error as EvidenceError).details).toEqual(details);
    }
  });

  test("a throw of keyOf half-way writes nothing, and messages are refused before the tracker is asked", () => {
    const tracker: FileReadTracker = { hasRead: () => false, recordRead: () => expect.unreachable("nothing may be written") };
    const messages = [...done("a", "write", { path: "a", content: "" }), ...done("b", "write", { path: "b", content: "" })];
    const report = replayObservationLedger(messages, tracker, (path) => { if (path === "b") throw new Error("no"); return path; });
    expect(report).toEqual({ pathsWitnessed: 0, pathsSeen: 0, unitsReplayed: 0 });
    expect(() => replayObservationLedger([...messages, 7 as never], tracker, keys)).toThrow(/messages\[4\]/);
  });

  test("arguments that are no string name no path", () => {
    const messages: Message[] = [{ role: "assistant", toolCalls: [{ id: "x", function: { name: "write", arguments: 1 as never } }] }];
    expect(explainLedger(messages, keys).stopped?.reason).toBe("no-path");
  });
});

test("visibleEdit hands over the arguments and refuses what cannot be replayed", () => {
  const input = { path: "./a", old_string: "x", new_string: "y" };
  const history = indexVisibleHistory([...done("e", "edit", input), ...done("m", "edit", { path: "a" })], keys);
  expect(visibleEdit(history, "e")).toEqual({ key: "/repo/a", input });
  expect(visibleEdit(history, "m")).toBeUndefined();
});
