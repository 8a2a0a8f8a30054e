/** A run as the gate sees it, step by step, and a command line as the gate reads it. */
import { VerificationGate, classifyVerificationCommand, collectVerificationEvidence, explainCommand, isCheckOwnFile, isCodeFilePath, type CommandExplanation, type PendingReason, type SuspectMutation } from "agent-evidence";
import { argumentsOf, type Message, type ToolCall } from "../conversation";

export type GateEvent =
  | { kind: "question"; text: string }
  | { kind: "edit"; path: string; added: string }
  /** `passed` is null when no exit status is on record. */
  | { kind: "check"; command: string; passed: boolean | null }
  | { kind: "stop" };

/** The books after an event. */
export interface GateStep {
  owed: boolean;
  problem: string | null;
  pending: PendingReason | null;
  revision: number;
  files: string[];
  failedChecks: number;
  suspects: SuspectMutation[];
  /** Why a check proves nothing, when it does not. */
  rejected?: string;
  /** The edit is of no code and of no check. */
  passedOver?: boolean;
  /** What a stop was answered with; `null` when it was let through. */
  demand?: string | null;
}

export function runGate({ events }: { events: GateEvent[] }): GateStep[] {
  const gate = new VerificationGate();
  return events.map((event) => {
    const outcome = record(gate, event);
    const { files, failedChecks } = gate.snapshot();
    return {
      owed: gate.isOwed(),
      problem: gate.verificationProblem(),
      pending: gate.pendingReason(),
      revision: gate.revision,
      files,
      failedChecks: failedChecks.length,
      suspects: gate.tamperSuspects(),
      ...outcome,
    };
  });
}

function record(gate: VerificationGate, event: GateEvent): Pick<GateStep, "rejected" | "demand" | "passedOver"> {
  if (event.kind === "question") gate.beginRun();
  else if (event.kind === "edit") {
    if (!isCodeFilePath(event.path) && !isCheckOwnFile(event.path)) return { passedOver: true };
    gate.recordMutation(event.path, event.added);
  } else if (event.kind === "stop") return { demand: gate.followUp()?.map(({ content }) => content).join("\n\n") ?? null };
  else {
    const { accepted, candidate, reason } = classifyVerificationCommand(event.command);
    if (accepted && event.passed === true) gate.recordVerification(gate.revision, event.command);
    else if (accepted && event.passed === false) gate.recordFailedVerification(event.command);
    else {
      const rejected = accepted ? "no exit status is on record" : reason;
      if (candidate) gate.recordRejectedCheck(event.command, rejected);
      return { rejected };
    }
  }
  return {};
}

export function readCommand({ command }: { command: string }): CommandExplanation {
  return explainCommand(command);
}

/** What a conversation did, as far as the gate cares: checks, edits that went through, and stops. */
export function gateEventsOf({ messages }: { messages: Message[] }): GateEvent[] {
  const checks = new Map<string, GateEvent>();
  for (const { messageIndex, callIndex, command, counted, passed } of collectVerificationEvidence(messages, { includeRejected: true, trustIsError: true })) {
    checks.set(`${messageIndex} ${callIndex}`, { kind: "check", command, passed: counted ? passed : null });
  }
  const answers = new Map(messages.filter(({ role }) => role === "tool").map((message) => [message.toolCallId, message]));
  return messages.flatMap(({ role, content, toolCalls }, messageIndex): GateEvent[] => {
    if (role === "user") return [{ kind: "question", text: content ?? "" }];
    if (role !== "assistant") return [];
    if (!toolCalls?.length) return [{ kind: "stop" }];
    return toolCalls.flatMap((toolCall, callIndex) => checks.get(`${messageIndex} ${callIndex}`) ?? editOf(toolCall, answers.get(toolCall.id)));
  });
}

function editOf(toolCall: ToolCall, answer: Message | undefined): GateEvent[] {
  if (!answer || answer.isError || !/^(write|edit)$/i.test(toolCall.function.name)) return [];
  const fields = argumentsOf(toolCall);
  const field = (...names: string[]) => names.map((name) => fields[name]).find((value) => typeof value === "string") as string | undefined;
  const path = field("path", "file_path");
  return path === undefined ? [] : [{ kind: "edit", path, added: field("content", "new_string", "newStr") ?? "" }];
}
