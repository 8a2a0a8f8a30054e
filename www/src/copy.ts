/** A framed copy of a document as a reader would see it, with what a link points at highlighted. */
import styles from "./copy.css?url";

const loadMarkdown = () => import("markdown-it").then(({ default: create }) => create({ html: false, linkify: false }));
let markdown: ReturnType<typeof loadMarkdown> | undefined;

/** A page of the document; styles come from the page's own origin, and nothing in it can run. */
async function pageOf(text: string, title: string): Promise<Blob> {
  markdown ??= loadMarkdown();
  const body = (await markdown).render(text);
  const page = document.implementation.createHTMLDocument(title);
  page.documentElement.lang = "en";
  const sheet = page.createElement("link");
  sheet.rel = "stylesheet";
  sheet.href = new URL(styles, document.baseURI).href;
  page.head.append(sheet);
  page.body.innerHTML = body;
  page.documentElement.dataset["theme"] = document.documentElement.dataset["theme"] ?? "auto";
  // A copy loads nothing from anywhere.
  for (const image of page.querySelectorAll("img")) image.replaceWith(image.alt);
  return new Blob([`<!doctype html>${page.documentElement.outerHTML}`], { type: "text/html;charset=utf-8" });
}

export class FramedCopy {
  readonly element = document.createElement("iframe");
  #address = "";

  constructor() {
    this.element.title = "The document as its readers see it";
    this.element.className = "copy";
    // Same origin, so that the page can highlight in it; no scripts.
    this.element.setAttribute("sandbox", "allow-same-origin");
  }

  /** Shows the text with what the directive names highlighted; answers whether it was found. */
  async show(text: string, title: string, directive: string): Promise<boolean> {
    const address = URL.createObjectURL(await pageOf(text, title));
    if (this.#address) URL.revokeObjectURL(this.#address);
    this.#address = address;
    await new Promise((loaded) => {
      this.element.addEventListener("load", loaded, { once: true });
      this.element.src = address;
    });
    return highlight(this.element, directive);
  }

  /** The same copy with the directive as the visitor's browser would follow it in a tab of its own. */
  addressWith(directive: string): string {
    return this.#address && `${this.#address}#${directive}`;
  }
}

/** Browsers follow a directive only in a tab of its own, so in the frame its terms are looked up here. */
function highlight(frame: HTMLIFrameElement, directive: string): boolean {
  const inside = frame.contentWindow as (Window & typeof globalThis) | null;
  const terms = parseDirective(directive);
  if (!inside || !terms || !("highlights" in inside.CSS)) return false;
  const { text, places } = readableText(inside.document.body);
  const range = find(text, terms);
  if (!range) return false;
  const [first, last] = [places[range[0]]!, places[range[1] - 1]!];
  const found = inside.document.createRange();
  found.setStart(first.node, first.offset);
  found.setEnd(last.node, last.offset + 1);
  inside.CSS.highlights.set("cited", new inside.Highlight(found));
  const box = found.getBoundingClientRect();
  inside.scrollTo({ top: inside.scrollY + box.top - inside.innerHeight / 3 });
  return true;
}

interface Terms {
  prefix: string;
  start: string;
  end: string;
  suffix: string;
}

function parseDirective(directive: string): Terms | undefined {
  const value = /:~:text=([^&]*)/.exec(directive)?.[1];
  if (!value) return undefined;
  const parts = value.split(",");
  const decode = (part: string | undefined) => fold(decodeURIComponent(part ?? "")).trim();
  const prefix = parts[0]?.endsWith("-") ? decode(parts.shift()?.slice(0, -1)) : "";
  const suffix = parts.at(-1)?.startsWith("-") ? decode(parts.pop()?.slice(1)) : "";
  return { prefix, start: decode(parts[0]), end: decode(parts[1]), suffix };
}

/** Case aside; only foldings that keep the length, so places stay true. */
function fold(text: string): string {
  return [...text].map((letter) => (letter.toLowerCase().length === letter.length ? letter.toLowerCase() : letter)).join("");
}

/** The text with white space collapsed, and where each of its units is in the page. */
function readableText(body: HTMLElement): { text: string; places: { node: Text; offset: number }[] } {
  const walker = body.ownerDocument.createTreeWalker(body, NodeFilter.SHOW_TEXT);
  const places: { node: Text; offset: number }[] = [];
  let text = "";
  for (let node = walker.nextNode() as Text | null; node; node = walker.nextNode() as Text | null) {
    const folded = fold(node.data);
    for (let offset = 0; offset < folded.length; offset += 1) {
      const space = /\s/.test(folded[offset]!);
      if (space && text.endsWith(" ")) continue;
      text += space ? " " : folded[offset];
      places.push({ node, offset });
    }
  }
  return { text, places };
}

function find(text: string, { prefix, start, end, suffix }: Terms): [number, number] | undefined {
  const before = (at: number) => prefix === "" || text.slice(0, at).trimEnd().endsWith(prefix);
  const after = (at: number) => suffix === "" || text.slice(at).trimStart().startsWith(suffix);
  for (let from = text.indexOf(start); from >= 0; from = text.indexOf(start, from + 1)) {
    if (!before(from)) continue;
    let to = from + start.length;
    if (end !== "") {
      const at = text.indexOf(end, to);
      if (at < 0) return undefined;
      to = at + end.length;
    }
    if (after(to)) return [from, to];
  }
  return undefined;
}
