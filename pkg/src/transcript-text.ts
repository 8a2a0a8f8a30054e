/** The pure half of transcripts: host paths, decisions blocks, folding. */
import * as check from "./check.js";
import { call, currentGeneration, putText, putTexts, Unpacker } from "./engine.js";
import { EvidenceError } from "./errors.js";
import { optionalDefault } from "./platform.js";
import type { ChatCitationsRecord, ChatDecisionsRecord, ChatRepoRoot, ChatSeatRecord, ChatSystemRecord, ChatTranscriptRecord, ChatUserRecord, TranscriptTurn } from "./transcript-types.js";

type Engine = Parameters<Parameters<typeof call>[0]>[0];
type Filter = InstanceType<Engine["DecisionFilter"]>;

/** The info string of a decisions block when no other is given. */
export const DECISIONS_MARKER = "wicked-decisions";

/** Path and name of each root, one after the other. @internal */
export function rootTexts(roots: unknown, field: string): string[] {
  return check.array(roots, field).flatMap((root, index) => {
    const { absRoot, name } = check.object(root, `${field}[${index}]`);
    return [check.string(absRoot, `${field}[${index}].absRoot`), check.string(name, `${field}[${index}].name`)];
  });
}

/**
 * The text with every path of a root replaced by the root's name: `/home/u/crew/src/a.ts` reads
 * `crew/src/a.ts`. The same string when there is none.
 *
 * The longest root counts, and only where a path may begin and end: a longer sibling, a path below
 * another directory and a URL stay. The root `/` rewrites nothing. Roots that look like Windows are
 * found with either separator and in any case; `windows: true` says so of every root, `false` of none.
 */
export function rewriteHostPaths(text: string, roots: readonly ChatRepoRoot[], opts?: { windows?: boolean }): string {
  check.string(text, "text");
  const { windows } = check.options(opts, "opts", ["windows"]);
  if (windows !== undefined) check.boolean(windows, "opts.windows");
  const texts = [text, ...rootTexts(roots, "roots")];
  return call((engine) => engine.rewrite_host_paths(putTexts(engine, texts), windows as boolean | undefined)) ?? text;
}

/**
 * The roots and every other spelling of their directories: what `realpath` answers (Node's when
 * absent there) and macOS's twins below `/private`. A path it throws for has no other spelling.
 */
export function withRootAliases(roots: readonly ChatRepoRoot[], realpath?: (path: string) => string): ChatRepoRoot[] {
  const texts = rootTexts(roots, "roots");
  const resolve = realpath ?? optionalDefault("realpath");
  if (resolve !== undefined && typeof resolve !== "function") check.refuse("realpath", "a function", realpath);
  const withReal: string[] = [];
  for (let index = 0; index < texts.length; index += 2) {
    withReal.push(texts[index]!, texts[index + 1]!, resolve ? realPath(resolve, texts[index]!) : "");
  }
  const rows = new Unpacker(call((engine) => engine.root_aliases(putTexts(engine, withReal))));
  const aliases: ChatRepoRoot[] = [];
  while (!rows.done) aliases.push({ absRoot: rows.text(), name: rows.text() });
  return aliases;
}

function realPath(resolve: (path: string) => string, path: string): string {
  try {
    const real: unknown = resolve(path);
    return typeof real === "string" ? real : "";
  } catch {
    return "";
  }
}

/**
 * The text without its decisions blocks and without trailing white space, and the body of the last
 * block. The same string, and null, when there is no block.
 */
export function cutDecisions(text: string, opts?: { marker?: string }): { text: string; block: string | null } {
  check.string(text, "text");
  const { marker = DECISIONS_MARKER } = check.options(opts, "opts", ["marker"]);
  check.string(marker, "opts.marker");
  const [left, block] = call((engine) => engine.cut_decisions(putTexts(engine, [text, marker as string]))) as [string?, string?];
  return { text: left ?? text, block: block ?? null };
}

/** A piece of a stream without the half of a surrogate pair at either end, which cannot be encoded. @internal */
export function splitHalves(text: string): { low: number; whole: string; high: number } {
  const first = text.charCodeAt(0);
  const low = first >= 0xdc00 && first <= 0xdfff ? first : 0;
  const rest = low ? text.slice(1) : text;
  const last = rest.charCodeAt(rest.length - 1);
  const high = last >= 0xd800 && last <= 0xdbff ? last : 0;
  return { low, whole: high ? rest.slice(0, -1) : rest, high };
}

/**
 * Takes decisions blocks out of a text that arrives in pieces, split anywhere: what comes out is
 * what {@link cutDecisions} leaves, up to trailing white space. Held back is only the start of a
 * line that may still open a block, at most `MAX_FENCE_LINE_BYTES`.
 */
export class DecisionFence {
  readonly #filter: Filter;
  readonly #generation = currentGeneration();

  constructor(opts?: { marker?: string }) {
    const { marker = DECISIONS_MARKER } = check.options(opts, "opts", ["marker"]);
    check.string(marker, "opts.marker");
    this.#filter = call((engine) => new engine.DecisionFilter(putText(engine, marker as string)));
  }

  /** Takes the next piece; returns what may be shown now. */
  push(text: string): string {
    const { low, whole, high } = splitHalves(check.string(text, "text"));
    return this.#call((filter, engine) => filter.push(putText(engine, whole), low, high));
  }

  /** Ends the text; returns what was held back and is no block. The filter is at its start again. */
  finish(): string {
    return this.#call((filter) => filter.finish());
  }

  /** The body of the last block that ended, once; else null. */
  takeBlock(): string | null {
    return this.#call((filter) => filter.take_block()) ?? null;
  }

  /** How many characters are held back. */
  get held(): number {
    return this.#call((filter) => filter.held());
  }

  #call<T>(run: (filter: Filter, engine: Engine) => T): T {
    return call((engine) => {
      if (this.#generation !== currentGeneration()) throw staleHandle("DecisionFence");
      return run(this.#filter, engine);
    });
  }
}

/** @internal */
export function staleHandle(name: string): EvidenceError {
  return new EvidenceError("ENGINE_RESTARTED", `The engine was started anew since this ${name} was made: make another.`, {});
}

/**
 * The records as turns, in the order each turn first appears: verdicts on the reply they belong to,
 * decisions on their turn. The records are the same objects.
 */
export function foldTranscript(records: readonly ChatTranscriptRecord[]): TranscriptTurn[] {
  const texts = check.array(records, "records").flatMap((record, index) => {
    const { kind, turnId, cliKey = "" } = check.object(record, `records[${index}]`);
    return [kind, turnId, cliKey].map((value, place) => check.string(value, `records[${index}].${["kind", "turnId", "cliKey"][place]}`));
  });
  const rows = new Unpacker(call((engine) => engine.transcript_fold(putTexts(engine, texts))));
  const at = (index: number) => records[index] as unknown;
  const list = () => Array.from({ length: rows.number() }, () => at(rows.number()));
  const turns: TranscriptTurn[] = [];
  while (!rows.done) {
    const user = rows.optional();
    const system = list() as ChatSystemRecord[];
    const decisions = list() as ChatDecisionsRecord[];
    const unattached = list() as ChatCitationsRecord[];
    const replies = Array.from({ length: rows.number() }, () => {
      const reply = at(rows.number()) as ChatSeatRecord;
      const verdicts = rows.optional();
      return { reply, citations: verdicts === undefined ? null : (at(verdicts) as ChatCitationsRecord) };
    });
    const message = user === undefined ? null : (at(user) as ChatUserRecord);
    const turnId = (message ?? system[0] ?? replies[0]?.reply ?? decisions[0] ?? unattached[0])!.turnId;
    turns.push({ turnId, user: message, system, replies, decisions: decisions.flatMap((record) => record.items), unattached });
  }
  return turns;
}
