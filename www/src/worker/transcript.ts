/** A transcript read from its lines and folded for a reader. */
import { ChatTranscriptStore, foldTranscript, markCitations, type ChatCitationStatus, type ChatUsage, type DecisionView, type SkipReason, type TranscriptReply } from "agent-evidence";
import { memoryTranscriptStorage } from "agent-evidence/memory";

export interface Turn {
  turnId: string;
  at?: number;
  system: string[];
  /** Absent when the record is not in the file. */
  question?: string;
  decisions: string[];
  replies: ReplyTurn[];
  /** Seats whose verdicts are there while their reply is not. */
  lostReplies: string[];
}

export interface ReplyTurn {
  seat: string;
  ok: boolean;
  text: string;
  usage?: string;
  verdicts?: {
    counts: Record<ChatCitationStatus, number>;
    segments: { text: string; status?: ChatCitationStatus; note?: string }[];
  };
}

export interface Damage {
  line: number;
  bytes: number;
  what: string;
}

export interface TranscriptReading {
  turns: Turn[];
  damage: Damage[];
  /** More than are listed, when there are very many. */
  damagedPlaces: number;
  records: number;
}

const DAMAGE: Record<SkipReason, string> = {
  encoding: "not UTF-8",
  json: "not a JSON value",
  shape: "JSON, but not a record of a transcript",
  torn: "cut off: the writer was stopped in the middle of it",
  "too-long": "longer than any record may be",
};

export function readTranscript({ text }: { text: string }): TranscriptReading {
  const storage = memoryTranscriptStorage();
  const store = new ChatTranscriptStore({ dir: "/transcripts", storage });
  const path = store.pathOf("chat");
  if (path !== null) storage.append(path, new TextEncoder().encode(text), { sync: false });
  const { records, skipped, skippedTotal } = store.readReport("chat");
  const turns = foldTranscript(records).map(({ turnId, user, system, replies, decisions, unattached }): Turn => {
    const at = user?.at ?? replies[0]?.reply.at;
    return {
      turnId,
      ...(at === undefined ? {} : { at }),
      system: system.map(({ text }) => text),
      ...(user ? { question: user.text } : {}),
      decisions: decisions.map(wordsOf),
      replies: replies.map(replyOf),
      lostReplies: unattached.map(({ cliKey }) => cliKey),
    };
  });
  return { turns, records: records.length, damagedPlaces: skippedTotal, damage: skipped.map(({ line, byteLength, reason }) => ({ line, bytes: byteLength, what: DAMAGE[reason] })) };
}

function replyOf({ reply: { cliKey, ok, text, usage }, citations }: TranscriptReply): ReplyTurn {
  const reply: ReplyTurn = { seat: cliKey, ok, text };
  if (usage) reply.usage = usageWords(usage);
  if (citations) {
    const { verified, corrected, unverifiable, unchecked } = citations;
    const segments = markCitations(text, citations).map(({ text, citation }) => {
      const note = citation?.resolved ? `really ${citation.resolved}` : citation?.note;
      return { text, ...(citation ? { status: citation.status } : {}), ...(note ? { note } : {}) };
    });
    reply.verdicts = { counts: { verified, corrected, unverified: unverifiable, unchecked }, segments };
  }
  return reply;
}

function usageWords({ inputTokens, outputTokens, costUsd }: ChatUsage): string {
  return `${inputTokens.toLocaleString("en")} in, ${outputTokens.toLocaleString("en")} out${costUsd === null ? "" : `, $${costUsd.toFixed(4)}`}`;
}

/** The shape of a decision is the host's own: its words, in order. */
function wordsOf(decision: DecisionView): string {
  const words = Object.entries(decision).filter(([name, value]) => typeof value === "string" && name !== "id");
  return words.length > 0 ? words.map(([, value]) => value).join(": ") : JSON.stringify(decision);
}
