// Where a text fragment lands in a real Chromium. The page paints what the browser highlights in a
// colour of its own (`::target-text`); a screenshot tells where that is, and the page which characters
// lie there. No test hook of the browser is needed.
import { createServer } from "node:http";
import { chromium } from "playwright-core";

const WIDTH = 1000;
const PAINT = "<style>::target-text{background:#f0f!important;color:#f0f!important}html{scroll-behavior:auto!important}</style>";
const PIXEL = Buffer.from("R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==", "base64");

/** First and last coloured point of a screenshot, or null. Runs in a page. */
async function coloured(png) {
  const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob());
  const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d", { willReadFrequently: true });
  context.drawImage(bitmap, 0, 0);
  const { data, width, height } = context.getImageData(0, 0, bitmap.width, bitmap.height);
  const is = (x, y) => {
    const at = 4 * (y * width + x);
    return data[at] > 240 && data[at + 1] < 15 && data[at + 2] > 240;
  };
  const rows = [];
  for (let y = 0; y < height; y += 1) {
    let [least, most] = [-1, -1];
    for (let x = 0; x < width; x += 1) {
      if (!is(x, y)) continue;
      if (least < 0) least = x;
      most = x;
    }
    if (least >= 0) rows.push([y, least, most]);
  }
  if (rows.length === 0) return null;
  const points = [];
  for (const [y, least, most] of rows) points.push([least, y], [most, y]);
  return points;
}

/** Offsets of the least and greatest character at the points, in all text of the page. Runs in the page. */
function charactersAt(points) {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const starts = new Map();
  let total = 0;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    starts.set(node, total);
    total += node.length;
  }
  let [start, end] = [Infinity, -1];
  const range = document.createRange();
  for (const [x, y] of points) {
    const position = document.caretPositionFromPoint(x + 0.5, y + 0.5);
    const node = position?.offsetNode;
    if (!starts.has(node)) continue;
    // The caret may stand on either side of the character under the point.
    for (const offset of [position.offset - 1, position.offset]) {
      if (offset < 0 || offset >= node.length) continue;
      range.setStart(node, offset);
      range.setEnd(node, offset + 1);
      const hit = [...range.getClientRects()].some((box) => box.width > 0 && box.left <= x + 0.5 && x + 0.5 <= box.right && box.top <= y + 0.5 && y + 0.5 <= box.bottom);
      if (!hit) continue;
      start = Math.min(start, starts.get(node) + offset);
      end = Math.max(end, starts.get(node) + offset + 1);
    }
  }
  return end < 0 ? null : { start, end };
}

/** Opens pages at a fragment. */
export class Landing {
  #browser;
  #server;
  #page;
  #helper;
  #html = "";
  #count = 0;

  /** A browser with a viewport of `height`: what is highlighted outside it is not seen. */
  static async start(height = 3000) {
    const landing = new Landing();
    landing.#browser = await chromium.launch({
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
      args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"],
    });
    landing.#server = createServer((request, response) => {
      const isPage = request.url.startsWith("/page?");
      response.setHeader("content-type", isPage ? "text/html; charset=utf-8" : "image/gif");
      response.end(isPage ? landing.#html : PIXEL);
    });
    await new Promise((ready) => landing.#server.listen(0, "127.0.0.1", ready));
    const context = await landing.#browser.newContext({ viewport: { width: WIDTH, height } });
    landing.#page = await context.newPage();
    landing.#helper = await context.newPage();
    const own = `http://127.0.0.1:${landing.#server.address().port}/`;
    await context.route("**", (route) => (/^(data|blob):/.test(route.request().url()) || route.request().url().startsWith(own) ? route.continue() : route.abort()));
    await landing.#page.bringToFront();
    return landing;
  }

  /** What is highlighted when `html` is opened at `directive` (`:~:text=...`): offsets in all text of its body, or null. */
  async highlighted(html, directive) {
    this.#html = /<head[^>]*>/i.test(html) ? html.replace(/<head[^>]*>/i, `$&${PAINT}`) : PAINT + html;
    const { port } = this.#server.address();
    await this.#page.goto(`http://127.0.0.1:${port}/page?${(this.#count += 1)}#${directive}`);
    // A page that lays out late is searched again for half a second.
    for (const wait of [30, 150, 500]) {
      await this.#page.waitForTimeout(wait);
      const png = (await this.#page.screenshot({ animations: "allow" })).toString("base64");
      const points = await this.#helper.evaluate(coloured, png);
      if (points) return this.#page.evaluate(charactersAt, points);
    }
    return null;
  }

  /** Calls `read(argument)` in a page with `html`. */
  async inPage(html, read, argument) {
    await this.#helper.setContent(html);
    return this.#helper.evaluate(read, argument);
  }

  async close() {
    await this.#browser.close();
    this.#server.closeAllConnections();
    await new Promise((closed) => this.#server.close(closed));
  }
}

/** How a highlight compares with where the passage lies: `right` begins and ends inside it. */
export function verdict([from, to], seen) {
  if (!seen) return "none";
  if (seen.start >= from - 2 && seen.start < to) return seen.end <= to + 2 ? "right" : "overrun";
  return seen.start < from && seen.end > from + 2 ? "early" : "elsewhere";
}
