/** What the gate promised to declare, held against the package. */
import * as gate from "agent-evidence/gate";

interface Suspect {
  filePath: string;
  reason: string;
}
interface UserMessage {
  role: "user";
  content: string;
}
interface Promised {
  recordMutation(filePath: string, addedText?: string): void;
  readonly revision: number;
  recordVerification(revision?: number, command?: string): void;
  recordFailedVerification(command: string, revision?: number): void;
  requireFreshVerification(invalidateRevision?: boolean): void;
  verificationProblem(): string | null;
  snapshot(): { version: 1; seq: number; mutation: number; verified: number; files: string[]; failedChecks: string[]; unknown: boolean };
  restore(value: unknown): void;
  beginRun(): void;
  isOwed(): boolean;
  isTamperOwed(): boolean;
  tamperSuspects(): Suspect[];
  willInject(): boolean;
  pendingReason(): "initial" | "recheck" | "tamper" | null;
  followUp(): UserMessage[] | null;
  reset(): void;
}

gate satisfies {
  VERIFICATION_STATE_KIND: string;
  MAX_VERIFICATION_INJECTIONS: 1;
  MAX_TAMPER_INJECTIONS: 1;
  isCodeFilePath(filePath: string): boolean;
  isCheckOwnFile(filePath: string): boolean;
  extractAddedLines(diff: string): string;
  detectCheckWeakening(addedText: string): string[];
  buildTamperDisclosureMessage(suspects: readonly Suspect[]): UserMessage;
  buildVerificationFollowUpMessage(files: readonly string[], recheck?: boolean): UserMessage;
  VerificationGate: new () => Promised;
};

export const suspect: gate.SuspectMutation = { filePath: "", reason: "" } satisfies Suspect;
export const message: gate.GateMessage = { role: "user", content: "" } satisfies UserMessage;
export const disposable: Disposable = new gate.VerificationGate();
