/** Verification in a page, over the host in memory. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { packagePages } from "../support/browser.js";

const vectors = JSON.parse(readFileSync(join(import.meta.dirname, "../data/citations/verdicts.json"), "utf8")) as { cases: { name: string; items: object[] }[] };

const inPage = packagePages(`
  const { init, verifyCitations } = await import("/dist/citations.js");
  const { memoryCitationDeps } = await import("/dist/memory/index.js");
  await init();`);

test("every reply gets the verdicts it gets elsewhere", async () => {
  const found = (await inPage(`
    const vectors = ${JSON.stringify(vectors)};
    const results = [];
    for (const { world, text, options } of vectors.cases) {
      const roots = vectors.worlds[world];
      const deps = memoryCitationDeps({ roots: Object.fromEntries(roots.filter(({ broken }) => !broken).map((root) => [root.absRoot, root])), now: () => 0 });
      const { items } = await verifyCitations(text, roots, deps, { ...options, ruleIds: options?.ruleIds && new Set(options.ruleIds) });
      results.push(items.map(({ start, end, ...item }) => item));
    }
    return results;`)) as object[];
  expect(vectors.cases.map(({ name }, index) => [name, found[index]])).toEqual(vectors.cases.map(({ name, items }) => [name, items]));
});

test("there are no deps unless they are given", async () => {
  expect(await inPage(`return verifyCitations("", []).catch((error) => [error.name, error.code, error.details.field]);`)).toEqual(["EvidenceError", "HOST_REQUIRED", "deps"]);
});
