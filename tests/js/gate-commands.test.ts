import { readFileSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import {
  classifyVerificationCommand,
  classifyVerificationCommands,
  collectVerificationEvidence,
  defaultShellTools,
  EvidenceError,
  explainCommand,
  isVerificationCommand,
  LIMITS,
  type EvidenceMessage,
} from "agent-evidence/gate";

const unescape = (text: string) => text.replace(/\\(.)/g, (_, sign) => ({ n: "\n", r: "\r" })[sign as string] ?? sign);
const rows = readFileSync(new URL("../data/gate/commands.tsv", import.meta.url), "utf8")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"))
  .map((line) => line.split("\t") as [string, string, string])
  .map(([table, label, command]) => ({ table, label, command: unescape(command) }));

describe("labelled commands", () => {
  const label = ({ accepted, candidate }: { accepted: boolean; candidate: boolean }) => (accepted ? "proof" : candidate ? "attempt" : "no");
  const answers = classifyVerificationCommands(rows.map((row) => row.command)).map(label);

  afterAll(() => {
    const tables = [...new Set(rows.map((row) => row.table)), "all"];
    const percent = (part: number, whole: number) => (whole === 0 ? "-" : `${((100 * part) / whole).toFixed(1)} %`);
    const report = tables.map((table) => {
      const chosen = rows.map((row, index) => ({ ...row, answer: answers[index] })).filter((row) => table === "all" || row.table === table);
      const figures = [(name: string) => name === "proof", (name: string) => name !== "no"].map((is) => {
        const both = chosen.filter((row) => is(row.label) && is(row.answer as string)).length;
        return `precision ${percent(both, chosen.filter((row) => is(row.answer as string)).length)} recall ${percent(both, chosen.filter((row) => is(row.label)).length)}`;
      });
      return `${table.padEnd(15)} ${String(chosen.length).padStart(4)} commands  proof: ${figures[0]}  attempt: ${figures[1]}`;
    });
    console.log(report.join("\n"));
  });

  test("there are at least 250", () => expect(rows.length).toBeGreaterThanOrEqual(250));

  test.each(rows.map((row, index) => ({ ...row, index })))("$table: $command is $label", ({ label: expected, command, index }) => {
    expect(answers[index], classifyVerificationCommand(command).reason).toBe(expected);
    expect(label(classifyVerificationCommand(command))).toBe(expected);
    expect(isVerificationCommand(command)).toBe(expected !== "no");
  });
});

test("an explained line gives its words in UTF-16 units", () => {
  const line = "cd 😀漢 && npx vitest run 'é'";
  const { words, ...answer } = explainCommand(line);
  expect(answer).toEqual({ accepted: true, candidate: true, code: "check", reason: "exit status 0 of `vitest run` proves the check" });
  expect(words.map(({ text, role, decides }) => `${text}${decides ? "!" : ""}:${role}`)).toEqual(["cd:tool", "😀漢:argument", "&&:operator", "npx:wrapper", "vitest!:tool", "run!:subcommand", "'é':argument"]);
  for (const word of words) expect(line.slice(word.start, word.end)).toBe(word.text);
  expect(explainCommand("npm test '").words).toEqual([]);
  expect(explainCommand("echo \ud800 && npm test").words.map((word) => word.text)).toEqual(["echo", "\ud800", "&&", "npm", "test"]);
});

test("many lines in one call are cut where each ends", () => {
  const lines = ["", "é漢😀 && npm test", "npm test\n", "\ud83d", "\ude00", "npm test", "\nnpm test || true", "ls 😀", ""];
  expect(classifyVerificationCommands(lines)).toEqual(lines.map(classifyVerificationCommand));
  expect(classifyVerificationCommands([])).toEqual([]);
});

test("a hostile line neither crashes the engine nor passes", () => {
  for (const line of ["(".repeat(5000), "(".repeat(5000) + "npm test" + ")".repeat(5000), "a;".repeat(100_000), "x".repeat(1_000_000), "'" + "x".repeat(1_000_000), '"$('.repeat(5000), "bash -c ".repeat(5000), "{$a".repeat(100_000), "if ".repeat(5000), "x".repeat(LIMITS.MAX_COMMAND_BYTES!.value + 1)]) {
    expect(classifyVerificationCommand(line).accepted).toBe(false);
    expect(explainCommand(line).accepted).toBe(false);
  }
  expect(isVerificationCommand("npm test")).toBe(true);
});

test("a wrong argument is refused by name", () => {
  const refused = (run: () => unknown) => {
    try {
      run();
    } catch (error) {
      if (error instanceof EvidenceError) return `${error.code} ${error.details.field}`;
    }
    return "not refused";
  };
  expect(refused(() => isVerificationCommand(1 as never))).toBe("INVALID_ARGUMENT command");
  expect(refused(() => classifyVerificationCommand(null as never))).toBe("INVALID_ARGUMENT command");
  expect(refused(() => classifyVerificationCommands(["a", {}] as never))).toBe("INVALID_ARGUMENT commands[1]");
  expect(refused(() => explainCommand(undefined as never))).toBe("INVALID_ARGUMENT command");
  expect(refused(() => collectVerificationEvidence({} as never))).toBe("INVALID_ARGUMENT messages");
  expect(refused(() => collectVerificationEvidence([null] as never))).toBe("INVALID_ARGUMENT messages[0]");
  expect(refused(() => collectVerificationEvidence([], { shell: [] } as never))).toBe("UNKNOWN_OPTION opts.shell");
  expect(refused(() => collectVerificationEvidence([], { shellTools: [1] } as never))).toBe("INVALID_ARGUMENT opts.shellTools[0]");
  expect(refused(() => collectVerificationEvidence([], { trustIsError: 1 } as never))).toBe("INVALID_ARGUMENT opts.trustIsError");
});

describe("evidence of a conversation", () => {
  const call = (id: string, args: unknown, name = "bash"): EvidenceMessage => ({ role: "assistant", content: null, toolCalls: [{ id, function: { name, arguments: typeof args === "string" ? args : JSON.stringify(args) } }] });
  const receipt = (toolCallId: string, content: string, more: Partial<EvidenceMessage> = {}): EvidenceMessage => ({ role: "tool", toolCallId, content, ...more });
  const status = (...more: [content: string, rest?: Partial<EvidenceMessage>]) => collectVerificationEvidence([call("a", { command: "npm test" }), receipt("a", more[0], more[1])], { includeRejected: true })[0]?.exitCode;

  test("what was accepted and has a status counts, with its places", () => {
    const messages = [{ role: "user", content: "é" }, call("a", { command: "cd web && npm test" }), receipt("a", "ok\nexit code: 0"), call("b", { command: "npm test | tail" }), receipt("b", "exit code: 0"), call("c", { command: "ls" }), receipt("c", "exit code: 0"), call("d", { command: "cargo test" }), receipt("d", "exit code: 101")];
    expect(collectVerificationEvidence(messages)).toEqual([
      { command: "cd web && npm test", toolCallId: "a", messageIndex: 1, callIndex: 0, resultIndex: 2, exitCode: 0, counted: true, passed: true, accepted: true, candidate: true, code: "check", reason: "exit status 0 of `npm test` proves the check" },
      { command: "cargo test", toolCallId: "d", messageIndex: 7, callIndex: 0, resultIndex: 8, exitCode: 101, counted: true, passed: false, accepted: true, candidate: true, code: "check", reason: "exit status 0 of `cargo test` proves the check" },
    ]);
    expect(collectVerificationEvidence(messages, { includeRejected: true }).map((item) => [item.toolCallId, item.counted])).toEqual([["a", true], ["b", false], ["d", true]]);
  });

  test("a status is believed where the host writes it", () => {
    for (const line of ["exit code: 0", "Exit code 0", "exit status 0", "[exit code: 0]", "Process exited with code 0", "Command exited with exit code 0.", "<exit_code>0</exit_code>"]) {
      expect(status(`漢\n${line}`), line).toBe(0);
      expect(status(`${line}\r\n漢`), line).toBe(0);
      expect(status(`漢\n${line}\n漢`), line).toBe(null);
    }
    expect(status("", { metadata: { exitCode: 3 } })).toBe(3);
    expect(status("", { metadata: { result: { exit_code: 0 } } })).toBe(0);
    expect(status("", { exitCode: 0 })).toBe(0);
    expect(status('{"output":"x","exit_code":0}')).toBe(0);
    expect(status("exit code: -1")).toBe(-1);
  });

  test("an unknown or contradicted status is no evidence", () => {
    for (const content of ["", "ok", "exit code:", "exit code: 0x", "exit code: 99999999999", "exit code: 0\nexit code: 1"]) expect(status(content), content).toBe(null);
    expect(status("exit code: 0", { isError: true })).toBe(null);
    expect(status("exit code: 1", { metadata: { exitCode: 0, exit_code: 1 } })).toBe(null);
    expect(status("", { metadata: { exitCode: "0" } })).toBe(null);
    expect(status("", { isError: false })).toBe(null);
    const cyclic: Record<string, unknown> = {};
    cyclic.self = cyclic;
    expect(status("", { metadata: cyclic })).toBe(null);
  });

  test("isError is a status only for a host that says so", () => {
    const seen = (isError: boolean) => collectVerificationEvidence([call("a", { command: "npm test" }), receipt("a", "", { isError })], { trustIsError: true })[0]?.passed;
    expect([seen(false), seen(true)]).toEqual([true, false]);
  });

  test("a receipt that cannot be the call's proves nothing", () => {
    const counted = (...messages: EvidenceMessage[]) => collectVerificationEvidence(messages).length;
    const check = call("a", { command: "npm test" });
    expect(counted(receipt("a", "exit code: 0"), check)).toBe(0);
    expect(counted(check, receipt("a", "exit code: 0"), receipt("a", "exit code: 0"))).toBe(0);
    expect(counted(check, check, receipt("a", "exit code: 0"))).toBe(0);
    expect(counted(check, receipt("b", "exit code: 0"))).toBe(0);
    expect(counted(call("a", { command: "npm test", run_in_background: true }), receipt("a", "exit code: 0"))).toBe(0);
  });

  test("shell tools and their arguments are read in the usual shapes", () => {
    const counted = (args: unknown, name?: string, opts?: object) => collectVerificationEvidence([call("a", args, name), receipt("a", "exit code: 0")], opts).length;
    expect(counted({ cmd: ["bash", "-lc", "cd é && npm test"] }, "shell")).toBe(1);
    expect(counted({ cmd: ["bash", "-lc", "npm test || true"] }, "shell")).toBe(0);
    expect(counted({ command: "npm test" }, "Bash")).toBe(1);
    expect(counted({ command: "npm test" }, "read")).toBe(0);
    expect(counted({ command: "npm test" }, "my_shell", { shellTools: ["my_shell"] })).toBe(1);
    expect(counted({ command: "npm test" }, "bash", { shellTools: [] })).toBe(0);
    for (const args of ["", "{", "[]", "null", '{"command":1}', '{"command":[1]}', "{}"]) expect(counted(args), args).toBe(0);
    expect(defaultShellTools()).toContain("bash");
  });
});
