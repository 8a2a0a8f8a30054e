/** The sample that ships with the page: one small project, and what an agent said and did in it. */
import events from "../sample/events.json";
import projectAddress from "../sample/kettle.zip?url";
import reply from "../sample/reply.md?raw";
import session from "../sample/session.json?raw";
import transcript from "../sample/transcript.jsonl?raw";
import { call } from "./engine";
import type { GateEvent } from "./worker/gate";
import type { FolderSource } from "./worker/tree";

export const SAMPLE_REPLY = reply;
export const SAMPLE_SESSION = session;
export const SAMPLE_TRANSCRIPT = transcript;
export const SAMPLE_EVENTS = events as GateEvent[];

export async function sampleProject(): Promise<FolderSource> {
  return { kind: "zip", name: "kettle.zip", zip: await (await fetch(projectAddress)).blob() };
}

/** The project's own description of how it delivers. */
export async function sampleDocument(): Promise<{ name: string; text: string }> {
  const name = "docs/delivery.md";
  return { name, text: await call("readFileOf", { source: await sampleProject(), path: name }) };
}
