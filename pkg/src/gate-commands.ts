/** Gate: which shell lines run a check, and what their exit status proves. */
import * as check from "./check.js";
import type * as bindings from "./wasm/agent_evidence.js";
import { call, putText, putTexts, Unpacker } from "./engine.js";

type Engine = typeof bindings;

/** Why a line is accepted or not; stable, for a host with words of its own. */
export type CommandReasonCode =
  | "alternative"
  | "background"
  | "check"
  | "compound"
  | "environment"
  | "here-document"
  | "hidden-status"
  | "missing-option"
  | "negated"
  | "no-check"
  | "other-command"
  | "pipe"
  | "redefined"
  | "sequence"
  | "substitution"
  | "unknown-argument"
  | "unreadable"
  | "weak-option";

/** What a shell line is worth as evidence. */
export interface CommandClassification {
  /** Exit status 0 of exactly this line proves that a bounded, one-shot, non-mutating check passed. */
  accepted: boolean;
  /** The line runs, or tries to run, a check; true whenever `accepted` is. */
  candidate: boolean;
  /** Why, as a phrase for a person. */
  reason: string;
  code: CommandReasonCode;
}

const ROLES = ["argument", "assignment", "keyword", "operator", "option", "redirection", "subcommand", "task", "tool", "wrapper"] as const;

/** What a word is to its line. */
export type CommandWordRole = (typeof ROLES)[number];

/** One word of a line. *Units*: UTF-16, half-open, from 0. */
export interface ExplainedCommandWord {
  start: number;
  end: number;
  /** The word as it is written. */
  text: string;
  role: CommandWordRole;
  /** True for the words that decide the answer: the check's own, or the one that spoils it. */
  decides: boolean;
}

/** A line read word by word. */
export interface CommandExplanation extends CommandClassification {
  /** In text order; none when the line does not parse. A group's sign may stand beside its words. */
  words: ExplainedCommandWord[];
}

/** A tool call as far as evidence needs it. */
export interface EvidenceToolCall {
  id?: string;
  function?: { name?: string; arguments?: unknown };
}

/** A message as far as evidence needs it; other messages and other fields are passed over. */
export interface EvidenceMessage {
  role: string;
  content?: unknown;
  toolCalls?: readonly EvidenceToolCall[] | null;
  /** In a receipt: the call it answers. */
  toolCallId?: string;
  /** In a receipt: the host calls it an error. */
  isError?: boolean;
  /** In a receipt: what the host recorded, such as `exitCode`. */
  metadata?: unknown;
  exitCode?: unknown;
}

/** What is read as evidence. */
export interface VerificationEvidenceOptions {
  /** Names of the tools that run a shell line, in any case; `DEFAULT_SHELL_TOOLS` if absent. */
  shellTools?: readonly string[];
  /** The host sets `isError` exactly when the exit status is not 0; false if absent. */
  trustIsError?: boolean;
  /** Also give the attempts that do not count; false if absent. */
  includeRejected?: boolean;
}

/** A check that ran in the conversation. */
export interface VerificationEvidence extends CommandClassification {
  command: string;
  toolCallId: string;
  /** Index of the message with the call. */
  messageIndex: number;
  /** Index of the call in that message. */
  callIndex: number;
  /** Index of the message with the receipt; `null` when none, or not exactly one, answers the call. */
  resultIndex: number | null;
  /** The exit status the host recorded; `null` when it recorded none, or two that differ. */
  exitCode: number | null;
  /** The line is accepted and its exit status known. */
  counted: boolean;
  /** It counts, and passed. */
  passed: boolean;
}

/** A reason: its name, its phrase before and behind the words it is about, and whether it is about any. */
interface Reason {
  code: CommandReasonCode;
  before: string;
  behind: string;
  namesWords: boolean;
}

let reasons: Reason[] | undefined;

function reasonOf(engine: Engine, head: number): Reason {
  reasons ??= readReasons(engine.command_reasons());
  return reasons[head >> 3] as Reason;
}

function readReasons(texts: string[]): Reason[] {
  return Array.from({ length: texts.length / 3 }, (_, index) => {
    const [code, before, behind] = texts.slice(index * 3) as [CommandReasonCode, string, string];
    return { code, before, behind, namesWords: behind !== "" };
  });
}

function answer(head: number, code: CommandReasonCode, reason: string): CommandClassification {
  return { accepted: (head & 1) !== 0, candidate: (head & 2) !== 0, reason, code };
}

function classification(engine: Engine, unpacker: Unpacker, command: string): CommandClassification {
  const head = unpacker.number();
  const { code, before, behind, namesWords } = reasonOf(engine, head);
  if ((head & IN_LINE) !== 0) {
    const start = unpacker.number();
    return answer(head, code, before + command.slice(start, start + unpacker.number()) + behind);
  }
  return answer(head, code, namesWords ? unpacker.text() : before);
}

/** Set when the words a reason is about stand in the line. */
const IN_LINE = 4;

const PLACES = 2 ** 22;

/** True when the line runs, or tries to run, a test, type check, lint or build. */
export function isVerificationCommand(command: string): boolean {
  check.string(command, "command");
  return call((engine) => engine.is_verification_command(putText(engine, command)));
}

/**
 * What the line is worth as evidence.
 * *Bounds*: `LIMITS.MAX_COMMAND_BYTES`, `LIMITS.MAX_COMMAND_NESTING`; beyond them the line is `unreadable`.
 */
export function classifyVerificationCommand(command: string): CommandClassification {
  check.string(command, "command");
  return call((engine) => {
    const packed = engine.classify_verification_command(putText(engine, command));
    const head = packed % 256;
    const { code, before, behind, namesWords } = reasonOf(engine, head);
    if ((head & IN_LINE) !== 0) {
      const place = (packed - head) / 256;
      const start = place % PLACES;
      return answer(head, code, before + command.slice(start, start + (place - start) / PLACES) + behind);
    }
    return answer(head, code, namesWords ? engine.command_reason_phrase(putText(engine, command)) : before);
  });
}

/** `classifyVerificationCommand` of many lines, in their order and in one call of the engine. */
export function classifyVerificationCommands(commands: readonly string[]): CommandClassification[] {
  const texts = check.array(commands, "commands").map((command, index) => check.string(command, `commands[${index}]`));
  return call((engine) => {
    const lengths = Uint32Array.from(texts, (text) => text.length);
    const unpacker = new Unpacker(engine.classify_verification_commands(putText(engine, texts.join("\n")), lengths));
    return texts.map((text) => classification(engine, unpacker, text));
  });
}

/** The same answer as `classifyVerificationCommand`, with the words of the line and what each is to it. */
export function explainCommand(command: string): CommandExplanation {
  check.string(command, "command");
  return call((engine) => {
    const unpacker = new Unpacker(engine.explain_command(putText(engine, command)));
    const explanation: CommandExplanation = { ...classification(engine, unpacker, command), words: [] };
    while (!unpacker.done) {
      const start = unpacker.number();
      const end = unpacker.number();
      const role = ROLES[unpacker.number()] as CommandWordRole;
      explanation.words.push({ start, end, text: command.slice(start, end), role, decides: unpacker.number() === 1 });
    }
    return explanation;
  });
}

/** The tool names that `collectVerificationEvidence` takes for shells unless told otherwise, sorted. */
export function defaultShellTools(): string[] {
  return call((engine) => engine.default_shell_tools());
}

/**
 * The checks that ran in a conversation and count: accepted lines whose exit status the host recorded, in the
 * order of their calls. The status is read from the receipt (`exitCode`, `metadata`), from a receipt that is a JSON
 * object, or from the receipt's first or last line (`exit code: 0`). Unknown is no evidence.
 * *Bounds*: `LIMITS.MAX_EVIDENCE_ARGUMENTS`.
 */
export function collectVerificationEvidence(messages: readonly EvidenceMessage[], opts?: VerificationEvidenceOptions): VerificationEvidence[] {
  const options = check.options(opts, "opts", ["shellTools", "trustIsError", "includeRejected"]);
  const trusts = options.trustIsError === undefined ? false : check.boolean(options.trustIsError, "opts.trustIsError");
  const includes = options.includeRejected === undefined ? false : check.boolean(options.includeRejected, "opts.includeRejected");
  const shells = options.shellTools === undefined ? defaultShellTools() : check.array(options.shellTools, "opts.shellTools").map((name, index) => check.string(name, `opts.shellTools[${index}]`));
  const { texts, shape } = flatten(messages);
  return call((engine) => {
    const ends = putTexts(engine, [...shells, ...texts]);
    const unpacker = new Unpacker(engine.collect_verification_evidence(ends, shells.length, Uint32Array.from(shape), trusts));
    const evidence: VerificationEvidence[] = [];
    while (!unpacker.done) {
      const command = unpacker.text();
      const toolCallId = unpacker.text();
      const messageIndex = unpacker.number();
      const callIndex = unpacker.number();
      const resultIndex = unpacker.optional() ?? null;
      const exitCode = unpacker.optionalText();
      const counted = unpacker.number() === 1;
      const passed = unpacker.number() === 1;
      const item = { command, toolCallId, messageIndex, callIndex, resultIndex, exitCode: exitCode === undefined ? null : Number(exitCode), counted, passed, ...classification(engine, unpacker, command) };
      if (counted || includes) evidence.push(item);
    }
    return evidence;
  });
}

/** Calls and receipts as texts and numbers, in the order the engine reads them. */
function flatten(messages: readonly EvidenceMessage[]): { texts: string[]; shape: number[] } {
  const texts: string[] = [];
  const shape: number[] = [];
  check.array(messages, "messages").forEach((value, index) => {
    const message = check.object(value, `messages[${index}]`) as unknown as EvidenceMessage;
    if (message.role === "assistant" && Array.isArray(message.toolCalls)) {
      message.toolCalls.forEach((toolCall: EvidenceToolCall | null, position) => {
        const id = toolCall?.id;
        const name = toolCall?.function?.name;
        if (typeof id !== "string" || typeof name !== "string") return;
        texts.push(id, name, json(toolCall?.function?.arguments));
        shape.push(0, index, position, 0);
      });
    } else if (message.role === "tool" && typeof message.toolCallId === "string") {
      const { exitCode, metadata, content } = message;
      const recorded = exitCode === undefined ? metadata : { exitCode, metadata };
      texts.push(message.toolCallId, typeof content === "string" ? content : "", recorded === undefined ? "" : json(recorded));
      shape.push(1, index, 0, typeof message.isError === "boolean" ? (message.isError ? 2 : 1) : 0);
    }
  });
  return { texts, shape };
}

/** JSON text as it is, anything else as JSON; what has no JSON counts as absent. */
function json(value: unknown): string {
  if (typeof value === "string") return value;
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return "";
  }
}
