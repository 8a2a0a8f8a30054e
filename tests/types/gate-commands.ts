// The shapes a caller may rely on, held against the package.
import { classifyVerificationCommand, collectVerificationEvidence, isVerificationCommand } from "agent-evidence/gate";

type Classify = (command: string) => { accepted: boolean; candidate: boolean; reason: string };

export const attempt: (command: string) => boolean = isVerificationCommand;
export const classify: Classify = classifyVerificationCommand;
export const collect: (messages: readonly { role: string; content: unknown }[]) => readonly { command: string; messageIndex: number; exitCode: number | null }[] = collectVerificationEvidence;
