/** Whether what a reply cites is there. */
/// <reference lib="esnext.disposable" preserve="true" />
import { array, boolean, host, integer, object, options as checkOptions, refuse, string } from "./check.js";
import { callAsync, putText, putTexts, Unpacker } from "./engine.js";
import { platformDefault } from "./platform.js";
import type { ChatCitationDeps, ChatCitationItem, ChatCitationKind, ChatCitationsResult, ChatCitationStatus, CitationRoot, CommitCheck } from "./citation-types.js";

/** Citations looked at in one pass unless told otherwise. */
export const DEFAULT_MAX_ITEMS = 80;
/** Milliseconds for one pass unless told otherwise. */
export const DEFAULT_BUDGET_MS = 15_000;
/** The note on a rule that is in force. Citing it is no proof that it was followed. */
export const RULE_CITED_LABEL = "cited by the step — unchecked";
/** The note on a rule that is not in force. */
export const RULE_UNKNOWN_LABEL = "not an in-force rule here";

/** Deps that answer for many commits at once and hold processes that can be ended. */
export interface ChatCitationHost extends ChatCitationDeps, AsyncDisposable {
  fileExists(abs: string, within?: readonly string[]): boolean;
  readLines(abs: string, within?: readonly string[]): string[] | null;
  readText(abs: string, within?: readonly string[]): string | null;
  listFiles(absRoot: string): Promise<string[] | null>;
  commitExists(absRoot: string, sha: string): Promise<CommitCheck>;
  commitsExist(absRoot: string, shas: readonly string[]): Promise<CommitCheck[]>;
  /** Ends every process and settles when they are gone. The host may be used again. */
  close(): Promise<void>;
}

/** How the host of a platform finds and runs git. */
export interface ChatCitationHostOptions {
  /** The program, by default `git`. */
  git?: string;
  /** Milliseconds a git process may take for an answer, by default 10,000; then that look-up has failed. */
  timeoutMs?: number;
  /** Milliseconds without a question after which a process is ended, by default 10,000. */
  idleMs?: number;
}

/** What a pass may be told. */
export interface VerifyOptions {
  /** The ids of the rules in force; absent or `null` leaves citations of rules `unchecked`. */
  ruleIds?: ReadonlySet<string> | null;
  /** Citations looked at, by default `DEFAULT_MAX_ITEMS`; the rest are `unchecked`. */
  maxItems?: number;
  /** Milliseconds for the pass, by default `DEFAULT_BUDGET_MS`; the rest are `unchecked`. */
  budgetMs?: number;
  /** Also look up hex runs that are all digits or all letters; those that are no commit are left out. */
  ambiguousShas?: boolean;
}

/**
 * The deps over the file system and the git of this platform; see `agent-evidence/node`.
 *
 * *Errors*: `HOST_REQUIRED` where there are none, `INVALID_ARGUMENT`, `UNKNOWN_OPTION`.
 */
export function chatCitationDeps(options: ChatCitationHostOptions = {}): ChatCitationHost {
  return platformDefault("chatCitationDeps", "deps")(options);
}

let shared: ChatCitationHost | undefined;

/**
 * Every citation of `text` with its verdict: looks for each in `roots` through `deps`, within a cap
 * and a budget. Rejects only for misuse, before anything is looked at; whatever goes wrong later is
 * a verdict.
 *
 * *Bounds*: `DEFAULT_MAX_ITEMS`, `DEFAULT_BUDGET_MS`, `MAX_CITED_FILE_BYTES`, `MAX_CANDIDATE_FILES`.
 * *Errors*: `INVALID_ARGUMENT`, `UNKNOWN_OPTION`, `MISSING_HOST_METHOD`, `HOST_REQUIRED`.
 * *Source*: contract section 1, Verification.
 */
export async function verifyCitations(text: string, roots: readonly CitationRoot[], deps?: ChatCitationDeps, opts: VerifyOptions = {}): Promise<ChatCitationsResult> {
  string(text, "text");
  const paths: string[] = [];
  const names: string[] = [];
  array(roots, "roots").forEach((root, index) => {
    const { absRoot, name } = object(root, `roots[${index}]`);
    if (string(absRoot, `roots[${index}].absRoot`) === "") refuse(`roots[${index}].absRoot`, "an absolute path", absRoot);
    paths.push(absRoot as string);
    names.push(string(name, `roots[${index}].name`));
  });
  const given = checkOptions(opts, "opts", ["ruleIds", "maxItems", "budgetMs", "ambiguousShas"]);
  const rules = given.ruleIds === undefined || given.ruleIds === null ? undefined : ruleIds(given.ruleIds);
  const maxItems = given.maxItems === undefined ? DEFAULT_MAX_ITEMS : integer(given.maxItems, "opts.maxItems");
  const budgetMs = given.budgetMs === undefined ? DEFAULT_BUDGET_MS : integer(given.budgetMs, "opts.budgetMs");
  const ambiguousShas = given.ambiguousShas === undefined ? false : boolean(given.ambiguousShas, "opts.ambiguousShas");
  const asked = deps === undefined ? (shared ??= chatCitationDeps()) : host<ChatCitationDeps>(deps, "deps", ["fileExists", "readLines", "listFiles", "commitExists", "now"]);

  let timer: ReturnType<typeof setTimeout> | undefined;
  const overdue = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), Math.min(budgetMs, 0x7fffffff));
  });
  try {
    return await callAsync(async (engine) => {
      const ends = putTexts(engine, [text, ...paths, ...names, ...(rules ?? [])]);
      const answers = within(asked, paths, overdue, (answer) => putText(engine, answer));
      const packed = await engine.verify_citations(ends, paths.length, rules !== undefined, maxItems, budgetMs, ambiguousShas, answers);
      return result(new Unpacker(packed), names);
    });
  } finally {
    clearTimeout(timer);
  }
}

function ruleIds(value: unknown): string[] {
  // Any set of this or another realm, or whatever iterates as one.
  const iterable = typeof value === "object" && value !== null && typeof (value as Iterable<unknown>)[Symbol.iterator] === "function";
  if (!iterable) refuse("opts.ruleIds", "a set of strings", value);
  return [...(value as Iterable<unknown>)].map((id, index) => string(id, `opts.ruleIds[${index}]`));
}

/**
 * The deps as the engine asks them: texts and listings go through its input buffer (`take`), and a
 * promise that outlives the pass is answered `undefined`.
 */
function within(deps: ChatCitationDeps, roots: readonly string[], overdue: Promise<undefined>, put: (text: string) => number): object {
  const inTime = (answer: unknown): unknown =>
    typeof answer === "object" && answer !== null && typeof (answer as PromiseLike<unknown>).then === "function" ? Promise.race([answer, overdue]) : answer;
  const whole = typeof deps.readText === "function";
  const together = typeof deps.commitsExist === "function";
  return {
    together,
    now: () => inTime(deps.now()),
    fileExists: (abs: string) => inTime(deps.fileExists(abs, roots)),
    read: (abs: string) => inTime(whole ? deps.readText?.(abs, roots) : deps.readLines(abs, roots)),
    list: (absRoot: string) => inTime(deps.listFiles(absRoot)),
    commits: (absRoot: string, shas: string[]) => inTime(together ? deps.commitsExist?.(absRoot, shas) : Promise.all(shas.map((sha) => deps.commitExists(absRoot, sha)))),
    take: (answer: unknown, separator: string, most: number) => {
      const isList = Array.isArray(answer) && answer.length <= most && answer.every((line) => typeof line === "string");
      const text = isList ? answer.join(separator) : answer;
      return typeof text === "string" && text.length <= most ? put(text) : undefined;
    },
  };
}

const KINDS = ["path", "line", "symbol", "sha", "rule"] as const satisfies readonly ChatCitationKind[];
const STATUSES = ["verified", "corrected", "unverified", "unchecked"] as const satisfies readonly ChatCitationStatus[];

function result(packed: Unpacker, roots: readonly string[]): ChatCitationsResult {
  const [verified, corrected, unverifiable, unchecked] = [packed.number(), packed.number(), packed.number(), packed.number()];
  const items: ChatCitationItem[] = [];
  while (!packed.done) {
    const item: ChatCitationItem = {
      raw: packed.text(),
      kind: KINDS[packed.number()] as ChatCitationKind,
      status: STATUSES[packed.number()] as ChatCitationStatus,
      start: packed.number(),
      end: packed.number(),
    };
    const optional = { symbol: packed.optionalText(), resolved: packed.optionalText(), note: packed.optionalText(), root: roots[packed.optional() ?? -1], file: packed.optionalText() };
    for (const [field, value] of Object.entries(optional)) if (value !== undefined) item[field as keyof typeof optional] = value;
    items.push(item);
  }
  return { verified, unverifiable, corrected, unchecked, items };
}
