// Classifying 1,000 commands against plain JavaScript: a tokeniser with quotes, escapes and operators, the same
// tables, the same look-ups of sub-commands and options. It knows no here-documents, groups, substitutions, wrappers
// inside wrappers or nested lines, so it does less.
import { readdirSync, readFileSync } from "node:fs";
import { classifyVerificationCommand, classifyVerificationCommands } from "agent-evidence/gate";
import { ratio } from "./measure.mjs";

const KINDS = new Set(["check", "harmless", "module", "none", "run", "runtask", "shell", "task"]);
const directory = new URL("../src/gate/commands/tools/", import.meta.url);
const lines = (name) => readFileSync(new URL(name, directory), "utf8").split("\n").filter((line) => line && !line.startsWith("#"));
const pairs = (name) => new Map(lines(name).map((line) => line.split(" ")));
const options = pairs("options.txt");
const tasks = pairs("tasks.txt");
const tools = new Map();
for (const file of readdirSync(directory).filter((name) => !["options.txt", "tasks.txt", "variables.txt"].includes(name))) {
  for (const line of lines(file)) {
    const words = line.split(" ");
    const place = words.findLastIndex((word) => KINDS.has(word));
    const entry = { subs: words.slice(1, place).map((word) => word.split(",")), kind: words[place], keys: new Map() };
    for (const detail of words.slice(place + 1)) entry.keys.set(detail.split("=")[0], detail.includes("=") ? detail.slice(detail.indexOf("=") + 1).split(",") : []);
    for (const name of words[0].split(",")) tools.set(name, [...(tools.get(name) ?? []), entry]);
  }
}

function tokenise(line) {
  const commands = [[]];
  const joins = [];
  let word = null;
  const end = () => {
    if (word !== null) commands.at(-1).push(word);
    word = null;
  };
  for (let at = 0; at < line.length; at += 1) {
    const sign = line[at];
    if (sign === " " || sign === "\t") end();
    else if (sign === "'" || sign === '"') {
      word ??= "";
      for (at += 1; line[at] !== sign; at += 1) {
        if (at >= line.length) return null;
        if (sign === '"' && line[at] === "\\") at += 1;
        word += line[at];
      }
    } else if (sign === "\\") word = (word ?? "") + (line[(at += 1)] ?? "");
    else if (sign === "#" && word === null) break;
    else if (sign === ">" || sign === "<") {
      if (word !== null && /^\d+$/.test(word)) word = null;
      end();
      while (/[<>&\d\s]/.test(line[at + 1] ?? "")) at += 1;
      while (/[^\s|&;]/.test(line[at + 1] ?? " ")) at += 1;
    } else if (sign === "&" || sign === "|" || sign === ";" || sign === "\n") {
      end();
      if (line[at + 1] === sign) at += 1;
      joins.push(line[at - 1] === sign ? sign + sign : sign);
      commands.push([]);
    } else word = (word ?? "") + sign;
  }
  end();
  return { commands: commands.filter((command) => command.length > 0), joins };
}

function judge(words) {
  let index = 0;
  while (/^\w+=/.test(words[index] ?? "")) index += 1;
  const name = (words[index] ?? "").split("/").at(-1);
  const entries = tools.get(name) ?? tools.get(name.replace(/[\d.-]+$/, ""));
  if (!entries) return "other";
  const rest = words.slice(index + 1);
  let entry = entries.find((each) => each.subs.length === 0);
  const takes = (option) => entry?.keys.get("value")?.includes(option);
  const operands = [];
  for (let at = 0; at < rest.length; at += 1) {
    if (rest[at].startsWith("-")) at += takes(rest[at]) ? 1 : 0;
    else operands.push(rest[at]);
  }
  let depth = 0;
  let fitting = entries;
  while (depth < operands.length) {
    fitting = fitting.filter((each) => each.subs[depth]?.includes(operands[depth]));
    if (fitting.length === 0) break;
    depth += 1;
    entry = fitting.find((each) => each.subs.length === depth) ?? entry;
  }
  if (!entry) return "other";
  const { kind, keys } = entry;
  if (kind === "run" || kind === "runtask" || kind === "module") {
    const inner = operands.slice(depth + Number(keys.get("operands")?.[0] ?? 0));
    const answer = inner.length === 0 ? "other" : judge(rest.slice(rest.indexOf(inner[0])));
    if (answer !== "other" || kind !== "runtask") return answer;
  }
  if (kind === "harmless") return "harmless";
  if (kind === "none" || kind === "shell") return "other";
  let answer = "check";
  let needed = !keys.has("need");
  let proved = !keys.has("prove");
  for (const option of rest) {
    const short = option.split("=")[0];
    const has = (key) => keys.get(key)?.some((item) => item === option || item === short || (item.endsWith("*") && option.startsWith(item.slice(0, -1))));
    if (has("off") || options.get(short) === "off") return "other";
    if (has("weak") || options.get(short) === "weak") answer = "weak";
    needed ||= has("need");
    proved ||= has("prove");
  }
  if (!needed) return "other";
  if (kind === "task" || kind === "runtask") {
    const names = operands.slice(depth);
    if (names.length === 0) return keys.has("bare") ? answer : "other";
    const parts = names.flatMap((task) => task.split(/[^a-zA-Z0-9]+|(?<=[a-z])(?=[A-Z])/)).map((part) => tasks.get(part.toLowerCase()));
    if (parts.includes("off") || !parts.includes("check")) return "other";
    if (parts.includes("fix")) answer = "weak";
  }
  return proved ? answer : "weak";
}

function plain(line) {
  const read = tokenise(line);
  if (read === null) return { accepted: false, candidate: false, reason: "unreadable" };
  const answers = read.commands.map(judge);
  const candidate = answers.includes("check") || answers.includes("weak");
  const accepted = answers.includes("check") && answers.every((answer) => answer === "check" || answer === "harmless") && read.joins.every((join) => join === "&&");
  return { accepted, candidate, reason: accepted ? "check" : candidate ? "weak" : "none" };
}

const data = readFileSync(new URL("../tests/data/gate/commands.tsv", import.meta.url), "utf8").split("\n").filter((line) => line && !line.startsWith("#"));
const labelled = data.map((line) => line.split("\t")[2]);
const thousand = Array.from({ length: 1000 }, (_, index) => labelled[index % labelled.length]);

export const cases = [
  { name: "gate: classify 1,000 commands in one call", target: 1, run: () => ratio(() => classifyVerificationCommands(thousand), () => thousand.map(plain), 41) },
  { name: "gate: classify 1,000 commands, a call each", target: 1, run: () => ratio(() => thousand.map(classifyVerificationCommand), () => thousand.map(plain), 41) },
];
