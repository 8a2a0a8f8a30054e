/** What was asked for, held against the package: every name, with types that accept and return it. */
import { CHAT_TRANSCRIPTS_DIRNAME, ChatTranscriptStore, defaultChatTranscriptsDir, rewriteHostPaths, withRootAliases, type ChatAttachment, type ChatCitationItem, type ChatRepoRoot, type ChatTranscriptRecord, type CoreEvent, type DecisionView } from "agent-evidence";
import { ChatTranscriptStore as FromEntry, type ChatTranscriptRecord as RecordFromEntry } from "agent-evidence/transcripts";

interface Asked {
  registerRoots(chatId: string, repos: ReadonlyArray<ChatRepoRoot>): void;
  get directory(): string;
  pathOf(chatId: string): string | null;
  appendUser(chatId: string, turnId: string, text: string, seats: readonly string[], attachments?: readonly ChatAttachment[]): void;
  appendSystem(chatId: string, turnId: string, text: string): void;
  observe(stamped: CoreEvent): void;
  recordCitations(frame: { chat: string; cliKey: string; turn_id?: string; verified: number; unverifiable: number; corrected: number; unchecked: number; items: ChatCitationItem[] }): void;
  read(chatId: string): ChatTranscriptRecord[];
  rewriteEvent(event: CoreEvent): CoreEvent;
  takeDecisionsBlock(chatId: string, cliKey: string): string | null;
  recordDecisions(frame: { chat: string; turnId: string; items: DecisionView[] }): void;
  drop(chatId: string): void;
  clearOrphaned(retainedChatIds: ReadonlySet<string>): void;
}

const asked: new (opts?: { dir?: string; now?: () => number }) => Asked = ChatTranscriptStore;
const name: "chats" = CHAT_TRANSCRIPTS_DIRNAME;
const directory: () => string = defaultChatTranscriptsDir;
const rewrite: (text: string, roots: readonly ChatRepoRoot[]) => string = rewriteHostPaths;
const aliases: (roots: readonly ChatRepoRoot[]) => ChatRepoRoot[] = withRootAliases;
const same: typeof ChatTranscriptStore = FromEntry;
const record: (record: RecordFromEntry) => ChatTranscriptRecord = (given) => given;

// A host's own types for what is opaque here go in and come out.
interface HostAttachment { id: string; size: number }
interface HostDecision { id: string; chosen?: string }
type HostEvent = { type: "chatReply"; chat: string; cliKey: string; text: string; ok: boolean } | { type: "chatClosed"; chat: string };

function use(store: ChatTranscriptStore, event: HostEvent, attachment: HostAttachment, decision: HostDecision): void {
  store.observe(event);
  const rewritten: HostEvent = store.rewriteEvent(event);
  store.appendUser("chat", "turn", "text", ["seat"], [attachment]);
  store.recordDecisions({ chat: "chat", turnId: "turn", items: [decision] });
  for (const read of store.read("chat")) {
    if (read.kind === "user") read.attachments?.forEach((one: HostAttachment) => one.id);
    else if (read.kind === "decisions") read.items.forEach((one: HostDecision) => one.chosen);
    else if (read.kind === "seat") read.usage?.costUsd satisfies number | null | undefined;
    else if (read.kind === "citations") read.items satisfies ChatCitationItem[];
    else read.text satisfies string;
  }
  void rewritten;
}

void [asked, name, directory, rewrite, aliases, same, record, use];
