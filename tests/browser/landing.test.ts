import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import MarkdownIt from "markdown-it";
import { afterAll, beforeAll, expect, test } from "vitest";
import { textFragment } from "agent-evidence/anchors";
import { Landing, verdict } from "../landing/landing.mjs";
import { largePage, SCRIPTS } from "./scripts.js";

// Pages written for this test; what stands between ⟦ and ⟧ is a passage.
const directory = join(import.meta.dirname, "../data/anchors/pages");
const names = readdirSync(directory).sort();
const renderer = new MarkdownIt({ html: true });

/** The page as a site would show it, marks kept; footnotes and front matter as sites treat them. */
function render(marked: string): string {
  const notes: string[] = [];
  const body = marked
    .replace(/^---\n[^]*?\n---\n/, "")
    // A mark before a block's sign would be its text.
    .replace(/⟦((?:#+|>) )/g, "$1⟦")
    .replace(/^\[\^(\w+)\]: (.*)$/gm, (_, name, note) => (notes.push(`<li>${note} <a href="#${name}">↩</a></li>`), ""))
    .replace(/\[\^(\w+)\]/g, '<sup><a href="#$1">1</a></sup>');
  return renderer.render(body) + (notes.length > 0 ? `<ol>${notes.join("")}</ol>` : "");
}

interface Passage {
  start: number;
  end: number;
}

/** The source without marks, and the passages in it. */
function passagesOf(marked: string): { source: string; passages: Passage[] } {
  const passages: Passage[] = [];
  let source = "";
  for (const [index, piece] of marked.split(/[⟦⟧]/).entries()) {
    if (index % 2 === 1) passages.push({ start: source.length, end: source.length + piece.length });
    source += piece;
  }
  return { source, passages };
}

/** Where the marks of the rendered page are, as offsets in its text without marks. Runs in the page. */
function marksIn(): [number, number][] {
  const pieces = (document.body.textContent ?? "").split(/[⟦⟧]/);
  const ranges: [number, number][] = [];
  let total = 0;
  for (const [index, piece] of pieces.entries()) {
    if (index % 2 === 1) ranges.push([total, total + piece.length]);
    total += piece.length;
  }
  return ranges;
}

let landing: Landing;
beforeAll(async () => {
  landing = await Landing.start();
});
afterAll(async () => {
  await landing?.close();
});

test("there are thirty pages", () => expect(names.length).toBe(30));

/** Lines of a script with high letters overlap otherwise, and a point then lies on two of them. */
const ROOMY = "<style>body{line-height:3}</style>";

/** Opens the page at the link of each of its marked passages. */
async function expectAllToLand(marked: string): Promise<void> {
  const { source, passages } = passagesOf(marked);
  const html = render(marked);
  const expected = await landing.inPage(html, marksIn, undefined);
  expect(expected.length).toBe(passages.length);
  for (const [index, { start, end }] of passages.entries()) {
    const directive = textFragment(source.slice(start, end), { document: source, startChar: start });
    const seen = await landing.highlighted(`<!doctype html>${ROOMY}<body>${html.replace(/[⟦⟧]/g, "")}`, directive);
    expect(verdict(expected[index]!, seen), directive).toBe("right");
  }
}

test.each(names)("links into %s land on the passage when the document is known", async (name) => {
  await expectAllToLand(readFileSync(join(directory, name), "utf8"));
});

test.each(SCRIPTS)("links into a long page in %s land on passages cut anywhere", async (script) => {
  await expectAllToLand(largePage(script, 4));
});

test("a link that is not on the page highlights nothing", async () => {
  expect(await landing.highlighted("<!doctype html><p>Some words.", ":~:text=other%20words")).toBeNull();
});

test("what is highlighted is read to the character", async () => {
  const html = "<!doctype html><p>One two three.</p><p dir=rtl>אחת שתיים שלוש</p><p>four five";
  expect(await landing.highlighted(html, ":~:text=two,three")).toEqual({ start: 4, end: 13 });
  expect(await landing.highlighted(html, ":~:text=three,four")).toEqual({ start: 8, end: 32 });
  expect(verdict([20, 30], { start: 10, end: 25 })).toBe("early");
  expect(verdict([20, 30], { start: 22, end: 40 })).toBe("overrun");
  expect(verdict([20, 30], { start: 40, end: 50 })).toBe("elsewhere");
});
