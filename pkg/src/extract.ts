/** What a reply cites, and where: nothing here looks outside the text. */
import { array, boolean, object, options as checkOptions, refuse, string } from "./check.js";
import { call, currentGeneration, putText, putTexts, Unpacker } from "./engine.js";
import type { ChatCitationItem, ChatCitationKind, ChatCitationsFrame, ChatCitationsResult, CitationRoot, CitationSegment, ExtractedCitation, ExtractOptions } from "./citation-types.js";
import type { CitationStreamHandle } from "./wasm/agent_evidence.js";

const KINDS = ["path", "line", "symbol", "sha", "rule"] as const satisfies readonly ChatCitationKind[];

/**
 * Every citation of `text`, in text order, each claim once: two are one when kind, `raw` and symbol
 * are the same. Of `roots` only the names and paths are read, to know them in the text.
 *
 * *Bounds*: `MAX_CITATION_BYTES`, `MAX_CITED_RANGES`, `MAX_EXTRACTED`; linear in the text.
 * *Errors*: `INVALID_ARGUMENT`, `UNKNOWN_OPTION`.
 * *Source*: contract section 1, Extraction.
 */
export function extractCitations(text: string, roots: readonly CitationRoot[], options?: ExtractOptions): ExtractedCitation[] {
  string(text, "text");
  const checked = rootTexts(roots);
  const ambiguous = ambiguousShas(options);
  return call((engine) => {
    useRoots(engine, checked);
    const packed = new Unpacker(engine.extract_citations(putText(engine, text), ambiguous));
    const citations: ExtractedCitation[] = [];
    while (!packed.done) {
      const start = packed.number();
      const end = packed.number();
      citations.push(unpack(packed, text.slice(start, end), start, end));
    }
    return citations;
  });
}

/** The id of every `[rule:<id>]` in `text`, once each, in order. *Errors*: `INVALID_ARGUMENT`. */
export function extractRuleCitations(text: string): string[] {
  string(text, "text");
  return call((engine) => texts(engine.extract_rule_citations(putText(engine, text))));
}

/** Every name a reply may use for `root`, the fullest first. *Errors*: `INVALID_ARGUMENT`. */
export function repoAliases(root: CitationRoot): string[] {
  const checked = rootTexts([root]);
  return call((engine) => texts(engine.repo_aliases(putTexts(engine, checked))));
}

/**
 * Cuts `text` into segments for a renderer: every occurrence of an item of `result` is one and carries
 * that item, the same object; joined, the segments are the text.
 *
 * *Units*: `start` and `end` of items and segments are UTF-16 units. An item without them is found by its `raw`.
 * *Errors*: `INVALID_ARGUMENT`.
 */
export function markCitations(text: string, result: Pick<ChatCitationsResult, "items">): CitationSegment[] {
  string(text, "text");
  const items = array(object(result, "result").items, "result.items").map((item, index) => checkedItem(item, `result.items[${index}]`));
  const places = new Uint32Array(items.length * 4);
  items.forEach((item, index) => {
    places.set([KINDS.indexOf(item.kind), item.symbol === undefined ? 0 : 1, unit(item.start), unit(item.end)], index * 4);
  });
  return call((engine) => {
    const ends = putTexts(engine, [text, ...items.flatMap((item) => [item.raw, item.symbol ?? ""])]);
    const packed = new Unpacker(engine.mark_citations(ends, places));
    const segments: CitationSegment[] = [];
    let start = 0;
    while (!packed.done) {
      const end = packed.number();
      const citation = items[packed.optional() ?? -1];
      const segment: CitationSegment = { text: text.slice(start, end), start, end };
      if (citation) segment.citation = citation;
      segments.push(segment);
      start = end;
    }
    return segments;
  });
}

/** The frame that sends `result` to the front ends of a chat, or `null` when there is nothing to mark. *Errors*: `INVALID_ARGUMENT`. */
export function citationsFrame(
  reply: { chat: string; cliKey: string; turn_id?: string; project_id?: string },
  result: ChatCitationsResult,
): ChatCitationsFrame | null {
  const { chat, cliKey, turn_id, project_id } = object(reply, "reply") as unknown as typeof reply;
  string(chat, "reply.chat");
  string(cliKey, "reply.cliKey");
  if (turn_id !== undefined) string(turn_id, "reply.turn_id");
  if (project_id !== undefined) string(project_id, "reply.project_id");
  const { verified, unverifiable, corrected, unchecked, items } = object(result, "result") as unknown as ChatCitationsResult;
  if (array(items, "result.items").length === 0) return null;
  return {
    type: "chatCitations",
    chat,
    cliKey,
    ...(turn_id === undefined ? {} : { turn_id }),
    verified,
    unverifiable,
    corrected,
    unchecked,
    items,
    ...(project_id === undefined ? {} : { project_id }),
  };
}

/**
 * Takes a reply while it is written and yields each citation as soon as it cannot change: `feed` the
 * deltas, then `finish`. However the text is cut, the citations are those of `extractCitations`.
 *
 * *Units*: `start` and `end` count from the beginning of the whole text.
 * *Bounds*: holds back at most the last line, of a long line its last few thousand units. The text
 * is kept until `finish`, so that a restart of the engine loses nothing.
 */
export class CitationStream {
  readonly #roots: readonly string[];
  readonly #ambiguous: boolean;
  #handle: CitationStreamHandle | undefined;
  #generation = -1;
  /** What was fed, to start over when the engine had to. */
  #fed: string[] = [];
  #yielded = 0;
  /** Half of a surrogate pair at the end of a delta. */
  #half = "";

  /** *Errors*: `INVALID_ARGUMENT`, `UNKNOWN_OPTION`. */
  constructor(roots: readonly CitationRoot[] = [], options?: ExtractOptions) {
    this.#roots = rootTexts(roots);
    this.#ambiguous = ambiguousShas(options);
  }

  /** Takes the next piece of the text and returns the citations that became certain. *Errors*: `INVALID_ARGUMENT`. */
  feed(delta: string): ExtractedCitation[] {
    let piece = this.#half + string(delta, "delta");
    this.#half = "";
    if (isHighSurrogate(piece.charCodeAt(piece.length - 1))) {
      this.#half = piece.slice(-1);
      piece = piece.slice(0, -1);
    }
    return this.#take(piece);
  }

  /** Ends the text and returns the rest of its citations; the stream may then be fed another text. */
  finish(): ExtractedCitation[] {
    const last = this.#half === "" ? [] : this.#take(this.#half);
    this.#half = "";
    const rest = this.#run((_, handle) => streamed(handle.finish()));
    this.#fed = [];
    this.#yielded = 0;
    return [...last, ...rest];
  }

  #take(piece: string): ExtractedCitation[] {
    const found = this.#run((engine, handle) => streamed(handle.feed(putText(engine, piece))));
    this.#fed.push(piece);
    this.#yielded += found.length;
    return found;
  }

  #run(step: (engine: Engine, handle: CitationStreamHandle) => ExtractedCitation[]): ExtractedCitation[] {
    return call((engine) => {
      if (this.#handle !== undefined && this.#generation === currentGeneration()) return step(engine, this.#handle);
      useRoots(engine, this.#roots);
      const handle = new engine.CitationStreamHandle(this.#ambiguous);
      this.#handle = handle;
      this.#generation = currentGeneration();
      // A new engine has not seen the text so far: what that says again was yielded before.
      const again = this.#fed.flatMap((piece) => streamed(handle.feed(putText(engine, piece))));
      return [...again.slice(this.#yielded), ...step(engine, handle)];
    });
  }
}

type Engine = Parameters<Parameters<typeof call>[0]>[0];

function streamed(result: unknown[]): ExtractedCitation[] {
  const packed = new Unpacker(result);
  const citations: ExtractedCitation[] = [];
  while (!packed.done) {
    const raw = packed.text();
    citations.push(unpack(packed, raw, packed.number(), packed.number()));
  }
  return citations;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

function texts(result: unknown[]): string[] {
  const packed = new Unpacker(result);
  const list: string[] = [];
  while (!packed.done) list.push(packed.text());
  return list;
}

/** The bits behind the kind in the head of a packed citation, as the engine writes them. */
const HAS = { tentative: 1 << 3, pathCut: 1 << 4, path: 1 << 5, column: 1 << 6, endLine: 1 << 7, endColumn: 1 << 8, symbolCut: 1 << 9, symbol: 1 << 10, repo: 1 << 11, ruleCut: 1 << 12 };

function unpack(packed: Unpacker, raw: string, start: number, end: number): ExtractedCitation {
  const head = packed.number();
  const citation: ExtractedCitation = { raw, kind: KINDS[head & 7] as ChatCitationKind, start, end };
  if (head & HAS.pathCut) citation.path = cut(packed, raw);
  else if (head & HAS.path) citation.path = packed.text();
  if (head & HAS.symbolCut) citation.symbol = cut(packed, raw);
  else if (head & HAS.symbol) citation.symbol = packed.text();
  if (head & HAS.ruleCut) citation.ruleId = cut(packed, raw);
  if (head & HAS.repo) citation.repo = packed.text();
  const ranges = head >>> 16;
  if (ranges > 0) {
    citation.line = packed.number();
    if (head & HAS.column) citation.column = packed.number();
    if (head & HAS.endLine) citation.endLine = packed.number();
    if (head & HAS.endColumn) citation.endColumn = packed.number();
    citation.lines = [];
    for (let range = 0; range < ranges; range += 1) citation.lines.push([packed.number(), packed.number()]);
  }
  if (head & HAS.tentative) citation.tentative = true;
  return citation;
}

function cut(packed: Unpacker, raw: string): string {
  const from = packed.number();
  return raw.slice(from, from + packed.number());
}

function unit(offset: number | undefined): number {
  return offset ?? 0xffffffff;
}

function checkedItem(value: unknown, field: string): ChatCitationItem {
  const item = object(value, field) as unknown as ChatCitationItem;
  string(item.raw, `${field}.raw`);
  if (!KINDS.includes(item.kind)) refuse(`${field}.kind`, `one of ${KINDS.join(", ")}`, item.kind);
  if (item.symbol !== undefined) string(item.symbol, `${field}.symbol`);
  for (const name of ["start", "end"] as const) {
    const offset = item[name];
    if (offset !== undefined && (!Number.isSafeInteger(offset) || offset < 0)) refuse(`${field}.${name}`, "a non-negative integer", offset);
  }
  return item;
}

function ambiguousShas(options: unknown): boolean {
  const { ambiguousShas: given } = checkOptions(options, "options", ["ambiguousShas"]);
  return given === undefined ? false : boolean(given, "options.ambiguousShas");
}

/** Path and name of each root by turns. */
function rootTexts(roots: unknown): string[] {
  const checked: string[] = [];
  const list = array(roots, "roots");
  for (let index = 0; index < list.length; index += 1) {
    const root = list[index] as CitationRoot;
    if (typeof root !== "object" || root === null || typeof root.absRoot !== "string" || typeof root.name !== "string") {
      const { absRoot, name } = object(root, `roots[${index}]`);
      string(absRoot, `roots[${index}].absRoot`);
      string(name, `roots[${index}].name`);
    }
    checked.push(root.absRoot, root.name);
  }
  return checked;
}

let rootsInUse: readonly string[] = [];
let rootsGeneration = -1;

/** Roots change seldom: the engine is told only when they do. */
function useRoots(engine: Engine, roots: readonly string[]): void {
  const same = rootsGeneration === currentGeneration() && rootsInUse.length === roots.length && roots.every((text, index) => text === rootsInUse[index]);
  if (same) return;
  engine.set_citation_roots(putTexts(engine, roots));
  rootsInUse = roots;
  rootsGeneration = currentGeneration();
}
