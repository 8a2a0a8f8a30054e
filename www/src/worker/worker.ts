/** The engine's home: everything that may take long happens here, never on the page's own thread. */
import { init } from "agent-evidence";
import { Pace, type Progress } from "./pace";
import * as documents from "./document";
import * as gate from "./gate";
import * as reply from "./reply";
import * as session from "./session";
import * as transcript from "./transcript";

const operations = { ...documents, ...gate, ...reply, ...session, ...transcript };
export type Operations = typeof operations;

export type Request = { id: number; name: keyof Operations; input: unknown } | { id: number; cancel: true };
export type Answer = { id: number; progress: Progress } | { id: number; result: unknown } | { id: number; problem: string };

const running = new Map<number, AbortController>();
const ready = init();

addEventListener("message", async ({ data }: MessageEvent<Request>) => {
  if ("cancel" in data) {
    running.get(data.id)?.abort();
    return;
  }
  const { id, name, input } = data;
  const answer = (message: Answer) => postMessage(message);
  const controller = new AbortController();
  running.set(id, controller);
  try {
    await ready;
    const operation = operations[name] as (input: unknown, pace: Pace) => unknown;
    const result = await operation(input, new Pace((progress) => answer({ id, progress }), controller.signal));
    answer({ id, result });
  } catch (error) {
    answer({ id, problem: error instanceof Error ? error.message : String(error) });
  } finally {
    running.delete(id);
  }
});
