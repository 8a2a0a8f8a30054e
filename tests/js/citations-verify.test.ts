import { execFileSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import {
  type ChatCitationDeps, type ChatCitationItem, DEFAULT_BUDGET_MS, DEFAULT_MAX_ITEMS, LIMITS, RULE_CITED_LABEL, RULE_UNKNOWN_LABEL, type VerifyOptions, verifyCitations,
} from "agent-evidence/citations";
import { memoryCitationDeps, type MemoryRepository } from "agent-evidence/memory";
import { chatCitationDeps } from "agent-evidence/node";
import { children, gits, program, Repository, temporaryFolder, write } from "./repository.ts";

const folder = temporaryFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface World extends MemoryRepository {
  absRoot: string;
  name: string;
  broken?: boolean;
}

interface Vectors {
  worlds: Record<string, World[]>;
  cases: { name: string; world: string; text: string; options?: Omit<VerifyOptions, "ruleIds"> & { ruleIds?: string[] }; items: ChatCitationItem[] }[];
}

const vectors = JSON.parse(readFileSync(join(import.meta.dirname, "../data/citations/verdicts.json"), "utf8")) as Vectors;

function memory(world: World[]): ChatCitationDeps {
  return memoryCitationDeps({ roots: Object.fromEntries(world.filter(({ broken }) => !broken).map((root) => [root.absRoot, root])), now: () => 0 });
}

/** The deps as the declarations first asked for them: no method that answers for many, every answer a promise. */
function plain(deps: ChatCitationDeps): ChatCitationDeps {
  return {
    fileExists: async (abs) => deps.fileExists(abs),
    readLines: async (abs) => deps.readLines(abs),
    listFiles: (absRoot) => deps.listFiles(absRoot),
    commitExists: (absRoot, sha) => deps.commitExists(absRoot, sha),
    now: () => deps.now(),
  };
}

describe.each(vectors.cases)("$name", ({ world, text, options, items }) => {
  const roots = vectors.worlds[world] as World[];
  const opts = { ...options, ruleIds: options?.ruleIds && new Set(options.ruleIds) };
  test.each([["all methods", memory(roots)], ["only the necessary methods", plain(memory(roots))]])("with %s", async (_, deps) => {
    const result = await verifyCitations(text, roots.map(({ absRoot, name }) => ({ absRoot, name })), deps, opts);
    expect(result.items.map(({ start, end, ...item }) => item)).toEqual(items);
    for (const { raw, start, end } of result.items) expect(text.slice(start, end)).toBe(raw);
    const count = (status: string): number => items.filter((item) => item.status === status).length;
    expect([result.verified, result.corrected, result.unverifiable, result.unchecked]).toEqual(["verified", "corrected", "unverified", "unchecked"].map(count));
  });
});

const two = vectors.worlds.two as World[];
const roots = two.map(({ absRoot, name }) => ({ absRoot, name }));
const reply = "`src/x.ts`, `src/app.tsx:2`, `core/src/store.ts`, `src/nope.ts:listRoutes`, 6d77153 and deadbee1";

describe("a host that cannot be trusted", () => {
  const answers: Record<string, (...given: never[]) => unknown> = {
    "throws": () => {
      throw new Error("no");
    },
    "rejects": () => Promise.reject(new Error("no")),
    "answers undefined": () => undefined,
    "answers a number": () => 42,
    "answers an object": () => ({ length: -1 }),
    "answers the wrong list": () => [1, null, "\uD800"],
    "answers a list of promises": async () => [Promise.reject(new Error("no")).catch(() => 1)],
    "never answers": () => new Promise(() => {}),
    "has a thenable that never settles": () => ({ then: () => {} }),
    "has a thenable that throws": () => ({
      then: () => {
        throw new Error("no");
      },
    }),
    "has a trap for its then": () => Object.defineProperty({}, "then", { get: () => { throw new Error("no"); } }),
    "answers too late": () => new Promise((resolve) => setTimeout(resolve, 400, true)),
    "rejects too late": () => new Promise((_, reject) => setTimeout(reject, 400, new Error("late"))),
  };
  const methods = ["fileExists", "readLines", "readText", "listFiles", "commitExists", "commitsExist", "now"] as const;
  const truth = memory(two);
  const right = verifyCitations(reply, roots, truth);

  for (const [name, answer] of Object.entries(answers)) {
    test.concurrent(`one method ${name}: the pass ends, and claims nothing that is not so`, async () => {
      const { items } = await right;
      await Promise.all(methods.map(async (method) => {
        const result = await verifyCitations(reply, roots, { ...truth, [method]: answer } as ChatCitationDeps, { budgetMs: 200 });
        expect(result.items, method).toHaveLength(6);
        for (const [index, item] of result.items.entries()) {
          if (item.status !== "unchecked") expect(item, method).toEqual(items[index]);
        }
      }));
    });

    test.concurrent(`every method ${name}: everything is unchecked`, async () => {
      const deps = Object.fromEntries(methods.map((method) => [method, method === "now" ? () => 0 : answer]));
      const result = await verifyCitations(reply, roots, deps as unknown as ChatCitationDeps, { budgetMs: 200 });
      const wrong = result.items.filter(({ status }) => status !== "unchecked");
      expect(wrong).toEqual([]);
      expect(result.unchecked).toBe(6);
    });
  }

  test("a host that hangs does not hold the pass beyond its budget", async () => {
    const hang = (): Promise<never> => new Promise(() => {});
    const result = await verifyCitations(reply, roots, { ...truth, now: () => performance.now(), listFiles: hang, commitsExist: hang }, { budgetMs: 150 });
    expect(result).toMatchObject({ verified: 2, unchecked: 4 });
    expect(await verifyCitations(reply, roots, truth)).toEqual(await right);
  });

  test("a host that calls back into the library does not mix up two passes", async () => {
    const nested: ChatCitationDeps = { ...truth, listFiles: async (root) => ((await verifyCitations(reply, roots, truth)).items.length === 6 ? truth.listFiles(root) : null) };
    const results = await Promise.all(Array.from({ length: 20 }, () => verifyCitations(reply, roots, nested)));
    for (const result of results) expect(result).toEqual(await right);
  });

  test("a file that is too big for a claim does not reach the engine", async () => {
    const deps = { ...truth, readText: () => "a\n".repeat(5_000_000) };
    const { items } = await verifyCitations("`src/app.tsx:2`", roots, deps);
    expect(items[0]).toMatchObject({ status: "unchecked", note: "could not be read as text" });
  });
});

test("all roots are given to each look at a file, and texts are read whole where that is possible", async () => {
  const within: unknown[] = [];
  const truth = memory(two);
  const deps: ChatCitationDeps = {
    ...truth,
    fileExists: (abs, roots) => (within.push(roots), truth.fileExists(abs, roots)),
    readText: (abs, roots) => (within.push(roots), truth.readText?.(abs, roots) ?? null),
    readLines: () => expect.unreachable(),
    commitExists: () => expect.unreachable(),
  };
  await verifyCitations(reply, roots, deps);
  expect(within.length).toBeGreaterThan(2);
  for (const given of within) expect(given).toEqual(roots.map(({ absRoot }) => absRoot));
});

test("spans count in UTF-16 units, and a lone surrogate is one", async () => {
  const text = "é 漢 😀 \uD800\r\n`src/x.ts` \uDC00 `src/app.tsx:2`";
  const { items } = await verifyCitations(text, roots, memory(two));
  expect(items.map(({ raw, start, end }) => [raw, text.slice(start, end)])).toEqual([["src/x.ts", "src/x.ts"], ["src/app.tsx:2", "src/app.tsx:2"]]);
});

describe("misuse is refused before anything is asked", () => {
  const refused = new Proxy({}, { get: () => () => expect.unreachable() }) as ChatCitationDeps;
  const cases: [name: string, call: () => Promise<unknown>, code: string, field: string][] = [
    ["text", () => verifyCitations(1 as never, roots, refused), "INVALID_ARGUMENT", "text"],
    ["roots", () => verifyCitations("", {} as never, refused), "INVALID_ARGUMENT", "roots"],
    ["a root", () => verifyCitations("", ["/r"] as never, refused), "INVALID_ARGUMENT", "roots[0]"],
    ["a root without a path", () => verifyCitations("", [{ absRoot: "", name: "x" }], refused), "INVALID_ARGUMENT", "roots[0].absRoot"],
    ["a root without a name", () => verifyCitations("", [{ absRoot: "/r" }] as never, refused), "INVALID_ARGUMENT", "roots[0].name"],
    ["maxItems", () => verifyCitations("", roots, refused, { maxItems: -1 }), "INVALID_ARGUMENT", "opts.maxItems"],
    ["budgetMs", () => verifyCitations("", roots, refused, { budgetMs: 1.5 }), "INVALID_ARGUMENT", "opts.budgetMs"],
    ["ruleIds", () => verifyCitations("", roots, refused, { ruleIds: "R-1" as never }), "INVALID_ARGUMENT", "opts.ruleIds"],
    ["a rule id", () => verifyCitations("", roots, refused, { ruleIds: new Set([1]) as never }), "INVALID_ARGUMENT", "opts.ruleIds[0]"],
    ["ambiguousShas", () => verifyCitations("", roots, refused, { ambiguousShas: 1 as never }), "INVALID_ARGUMENT", "opts.ambiguousShas"],
    ["an unknown option", () => verifyCitations("", roots, refused, { maxItem: 1 } as never), "UNKNOWN_OPTION", "opts.maxItem"],
    ["deps", () => verifyCitations("", roots, null as never), "INVALID_ARGUMENT", "deps"],
    ["deps without a method", () => verifyCitations("", roots, { ...memory(two), now: undefined } as never), "MISSING_HOST_METHOD", "deps.now"],
  ];
  test.each(cases)("%s", async (_, call, code, field) => {
    await expect(call()).rejects.toMatchObject({ name: "EvidenceError", code, details: { field } });
    expect((await verifyCitations("`src/x.ts`", roots, memory(two))).verified).toBe(1);
  });

  test("no deps where the platform has none", () => {
    const script = `import { verifyCitations } from "agent-evidence/inline"; verifyCitations("", []).catch((error) => console.log(error.code, error.details.field));`;
    const output = execFileSync(process.execPath, ["--input-type=module", "--eval", script], { cwd: import.meta.dirname });
    expect(output.toString().trim()).toBe("HOST_REQUIRED deps");
  });
});

describe.each(gits)("with the real files and %s", (git) => {
  /** The shortest abbreviation that has a digit and a letter. */
  function short(sha: string): string {
    let length = 7;
    while (!/\d/.test(sha.slice(0, length)) || !/[a-f]/.test(sha.slice(0, length))) length += 1;
    return sha.slice(0, length);
  }

  test("26 commits over 9 repositories, 2 of them invented, are all told apart by one git a root", async () => {
    const names = ["alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel", "india"];
    const base = join(folder, `nine-${gits.indexOf(git)}`);
    const repositories = names.map((name) => {
      const repository = new Repository(git, join(base, name));
      const commits = [1, 2, 3].map((n) => {
        repository.write("file.txt", `${name} ${n}\n`);
        return repository.commit(`${name} ${n}`);
      });
      return { name, root: repository.root, commits };
    });
    const real = repositories.flatMap(({ name, commits }) => commits.map((commit) => ({ name, sha: short(commit) }))).slice(0, 24);
    const invented = ["70fcd59", "0badc0de1"];
    const lines = real.map(({ name, sha }, n) => `- ${name}: \`${sha}\` é 漢 😀 change ${n}`);
    lines.splice(5, 0, `- alpha: \`${invented[0]}\` was never made`);
    lines.push(`- ${invented[1]} neither`);
    const log = join(base, "log");
    const deps = chatCitationDeps({ git: program(base, "git", `echo "$@" >> '${log}'; exec '${git}' "$@"`) });
    const result = await verifyCitations(lines.join("\n"), repositories.map(({ name, root }) => ({ name, absRoot: root })), deps);
    await deps.close();
    expect(result.items.filter(({ status }) => status === "unverified").map(({ raw }) => raw)).toEqual(invented);
    expect(result).toMatchObject({ verified: 24, unverifiable: 2, corrected: 0, unchecked: 0 });
    expect(result.items.filter(({ status }) => status === "verified").map(({ raw, root }) => [raw, root])).toEqual(real.map(({ name, sha }) => [sha, name]));
    const started = readFileSync(log, "utf8").trim().split("\n");
    expect(started).toHaveLength(9);
    for (const { root } of repositories) expect(started.filter((line) => line.includes(` -C ${root} `))).toHaveLength(1);
    expect(children()).toEqual([]);
  });

  test("files, lines, symbols and listings", async () => {
    const repository = new Repository(git, join(folder, `files-${gits.indexOf(git)}`, "crew"));
    repository.write("src/é/漢😀.ts", "one\r\nexport function greet() {}\r\n");
    repository.write("src/gone.ts", "");
    repository.commit("first");
    rmSync(join(repository.root, "src/gone.ts"));
    repository.write("src/new.ts", "1\n2\n3\n4\n");
    write(join(repository.root, ".."), "secret.txt", "");
    const deps = chatCitationDeps({ git });
    const text = "`crew/src/é/漢😀.ts:2`, `new.ts:4`, `new.ts:5`, `src/gone.ts`, `../secret.txt:1`, `é/漢😀.ts:greet`";
    const { items } = await verifyCitations(text, [{ absRoot: repository.root, name: "crew" }], deps);
    await deps.close();
    expect(items.map(({ raw, status, resolved, note }) => [raw, status, resolved ?? note])).toEqual([
      ["crew/src/é/漢😀.ts:2", "verified", undefined],
      ["new.ts:4", "verified", undefined],
      ["new.ts:5", "unverified", "the file has 4 lines"],
      ["src/gone.ts", "unverified", "no such file"],
      ["é/漢😀.ts:greet", "corrected", "src/é/漢😀.ts:greet"],
    ]);
  });
});

test("the constants are those of the engine", async () => {
  expect([DEFAULT_MAX_ITEMS, DEFAULT_BUDGET_MS]).toEqual([LIMITS.DEFAULT_MAX_ITEMS?.value, LIMITS.DEFAULT_BUDGET_MS?.value]);
  const { items } = await verifyCitations("[rule:a] [rule:b]", [], memory([]), { ruleIds: new Set(["a"]) });
  expect(items.map(({ note }) => note)).toEqual([RULE_CITED_LABEL, RULE_UNKNOWN_LABEL]);
});

test("without deps the real file system and git are asked", async () => {
  const repository = new Repository(gits[0] as string, join(folder, "default"));
  repository.write("src/a.ts", "one\n");
  const commit = repository.commit("first");
  const result = await verifyCitations(`\`src/a.ts:1\` since ${commit} and deadbee1`, [{ absRoot: repository.root, name: "default" }]);
  expect(result).toMatchObject({ verified: 2, unverifiable: 1, corrected: 0, unchecked: 0 });
});
