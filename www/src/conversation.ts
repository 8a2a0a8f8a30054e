/** Reads the conversations that studios save: one shape out of the three that are common. */

export interface ToolCall {
  id: string;
  type: "function";
  function: { name: string; arguments: string };
}

export interface Message {
  role: string;
  content: string | null;
  toolCalls?: ToolCall[];
  toolCallId?: string;
  isError?: boolean;
  metadata?: unknown;
}

type Fields = Record<string, unknown>;

/** Takes a JSON array, an object with `messages`, or JSON lines; throws with words for the visitor. */
export function parseConversation(text: string): Message[] {
  const messages = readValues(text).flatMap(toMessages);
  if (messages.length === 0) throw new Error("There is no message in it: a conversation is a JSON array of messages, or one message a line.");
  return messages;
}

function readValues(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value)) return value;
    const messages = isFields(value) ? value["messages"] : undefined;
    return Array.isArray(messages) ? messages : [value];
  } catch {
    const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "");
    return lines.map((line, index) => {
      try {
        return JSON.parse(line) as unknown;
      } catch {
        throw new Error(`This is neither JSON nor JSON lines: line ${index + 1} cannot be read.`);
      }
    });
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Our own shape passes as it is; `tool_calls` and content blocks are renamed, never interpreted. */
function toMessages(value: unknown): Message[] {
  if (!isFields(value)) return [];
  const message = isFields(value["message"]) ? value["message"] : value;
  if (typeof message["role"] !== "string") return [];
  if (Array.isArray(message["content"])) return fromBlocks(message["role"], message["content"]);
  const { tool_calls: calls, tool_call_id: answered, ...rest } = message;
  const renamed: Fields = { ...rest };
  if (Array.isArray(calls)) renamed["toolCalls"] = calls;
  if (typeof answered === "string") renamed["toolCallId"] = answered;
  return [renamed as unknown as Message];
}

function fromBlocks(role: string, blocks: unknown[]): Message[] {
  const receipts: Message[] = [];
  const toolCalls: ToolCall[] = [];
  let content = "";
  for (const block of blocks.filter(isFields)) {
    if (block["type"] === "text") content += String(block["text"]);
    else if (block["type"] === "tool_use") toolCalls.push({ id: String(block["id"]), type: "function", function: { name: String(block["name"]), arguments: JSON.stringify(block["input"]) } });
    else if (block["type"] === "tool_result") receipts.push({ role: "tool", toolCallId: String(block["tool_use_id"]), content: textOf(block["content"]), isError: block["is_error"] === true });
  }
  const message: Message = { role, content, ...(toolCalls.length > 0 ? { toolCalls } : {}) };
  return content !== "" || toolCalls.length > 0 ? [...receipts, message] : receipts;
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return Array.isArray(content) ? content.filter(isFields).map((block) => String(block["text"] ?? "")).join("") : "";
}

/** The arguments of a call as fields; none when they are not an object. */
export function argumentsOf({ function: { arguments: text } }: ToolCall): Fields {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : {};
  } catch {
    return {};
  }
}
