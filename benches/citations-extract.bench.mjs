// Extraction against the plain way in JavaScript: four regular expressions over the reply, the same
// kinds of citation, the same order, once each. The plain way knows fewer shapes and no prose.
import { extractCitations } from "agent-evidence";
import { ratio } from "./measure.mjs";

const roots = ["crew", "studio", "gateway", "core-rs", "docs", "infra", "mobile", "agents", "evals"].map((name) => ({
  absRoot: `/home/dev/wicked-${name}`,
  name: `wicked-${name}`,
}));

const PATH = /(?:@?[\w.()[\]+-]+\/)*[\w.()[\]+-]+\.[A-Za-z][\w]{0,9}(?:(?::L?\d+(?::\d+)?(?:[-–]L?\d+(?::\d+)?)?(?:,\d+(?:-\d+)?)*)|(?:#L\d+(?:C\d+)?(?:-L?\d+(?:C\d+)?)?)|(?:\(\d+(?:, ?\d+)?\))|(?::[A-Za-z_$][\w$]*(?:(?:\.|::)[A-Za-z_$][\w$]*)*))?/g;
const POSITION = /^(.*?)(?:(?::L?|#L)(\d+)(?::(\d+)|C(\d+))?(?:[-–]L?(\d+))?(?:,[\d,-]+)?|\((\d+)(?:, ?(\d+))?\)|:([A-Za-z_$].*))?$/;
const SHA = /\b(?=[0-9a-fA-F]*\d)(?=\d*[a-fA-F])(?:[0-9a-fA-F]{64}|[0-9a-fA-F]{7,40})\b/g;
const RULE = /\[rule:([^\]\s]+)\]/g;
const SYMBOL = /`([A-Za-z_$][\w$]*(?:(?:\.|::)[A-Za-z_$][\w$]*)*)(?:\(\))?`/g;

function plain(text, roots) {
  const names = new RegExp(`\\b(${roots.flatMap(({ name }) => [name, name.replace(/^[^-]*-/, "")]).join("|")})\\b`, "g");
  const symbols = [...text.matchAll(SYMBOL)];
  const aliases = [...text.matchAll(names)];
  const found = [];
  let symbol = 0;
  for (const match of text.matchAll(PATH)) {
    const raw = match[0];
    const [, path, line, column, column2, endLine, line2, column3, name] = POSITION.exec(raw);
    if (!path.includes("/") && !/\.(?:[cm]?[jt]sx?|rs|py|go|rb|java|kt|cs|c|h|cc|cpp|hpp|swift|php|sh|md|json|ya?ml|toml|html|css|sql|txt)$/i.test(path)) continue;
    const item = { raw, kind: "path", path, start: match.index, end: match.index + raw.length };
    if (line ?? line2) {
      item.kind = "line";
      item.line = Number(line ?? line2);
      if (column ?? column2 ?? column3) item.column = Number(column ?? column2 ?? column3);
      if (endLine) item.endLine = Number(endLine);
      while (symbol < symbols.length && symbols[symbol].index < match.index) symbol += 1;
      const before = symbols[symbol - 1];
      if (before && match.index - before.index - before[0].length <= 40) item.symbol = before[1];
    } else if (name) {
      item.kind = "symbol";
      item.symbol = name;
    }
    found.push(item);
  }
  let alias = 0;
  for (const match of text.matchAll(SHA)) {
    while (alias < aliases.length && aliases[alias].index < match.index) alias += 1;
    const item = { raw: match[0], kind: "sha", start: match.index, end: match.index + match[0].length };
    if (alias > 0) item.repo = aliases[alias - 1][0];
    found.push(item);
  }
  for (const match of text.matchAll(RULE)) found.push({ raw: match[0], kind: "rule", ruleId: match[1], start: match.index, end: match.index + match[0].length });
  found.sort((a, b) => a.start - b.start);
  const seen = new Set();
  return found.filter(({ kind, raw, symbol }) => {
    const key = `${kind}\0${raw}\0${symbol ?? ""}`;
    return !seen.has(key) && seen.add(key);
  });
}

const PROSE = "The handler reads the request, checks that the caller may see the project, and answers with the newest turn first. When nothing was stored it says so and does not invent a page. The retry keeps the same key (so a repeated call is harmless), and the timer is cleared in the same place where it was set. ";

function claim(index) {
  const hex = ((index * 2654435761) >>> 0).toString(16).padStart(8, "0");
  return [
    `\`handleTurn${index}\` lives in \`src/api/routes${index}.ts:${10 + (index % 900)}\`. `,
    `See crates/core/src/turn${index}.rs:${index + 1}-${index + 9} and docs/notes-${index}.md. `,
    `In crew, 6d${hex}7a fixed it; build_worker${index}.rs:build_worker keeps it so. `,
  ][index % 3];
}

/** A reply of `units`, `claims` sentences with citations spread over it. */
export function reply(units, claims) {
  const parts = [];
  let length = 0;
  for (let index = 0; index < claims; index += 1) {
    while (length + 120 < (units * index) / claims) {
      parts.push(PROSE);
      length += PROSE.length;
    }
    parts.push(claim(index), index % 5 === 0 ? "\n\n" : "");
    length += parts.at(-2).length + parts.at(-1).length;
  }
  while (length < units) {
    parts.push(PROSE);
    length += PROSE.length;
  }
  return parts.join("").slice(0, units);
}

function row(name, target, text, repeat, rounds) {
  return {
    name,
    target,
    run: async () => {
      const times = (work) => () => {
        let count = 0;
        for (let index = 0; index < repeat; index += 1) count += work(text, roots).length;
        return count;
      };
      const answer = await ratio(times(extractCitations), times(plain), rounds);
      return { ...answer, note: `${answer.note} for ${repeat}; ${extractCitations(text, roots).length} citations, ${plain(text, roots).length} the plain way` };
    },
  };
}

const MEGABYTE = 1 << 20;

export const cases = [
  row("extractCitations, reply of 1 kB with 6 citations", 1.0, reply(1_000, 5), 500, 15),
  row("extractCitations, reply of 32 kB with 100 citations", 0.5, reply(32_000, 80), 40, 15),
  row("extractCitations, 8 MB with 8,000 citations", 0.15, reply(8 * MEGABYTE, 6_000), 1, 7),
  {
    name: "extractCitations, time of 8 MB over 8 times that of 1 MB (linear)",
    target: 1.3,
    run: async () => {
      const [small, large] = [reply(MEGABYTE, 750), reply(8 * MEGABYTE, 6_000)];
      const answer = await ratio(() => extractCitations(large, roots), () => { for (let index = 0; index < 8; index += 1) extractCitations(small, roots); }, 7);
      return answer;
    },
  },
];
