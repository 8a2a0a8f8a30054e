/** The page's side of the worker: one typed call an operation, with progress and cancel. */
import type { Answer, Operations, Request } from "./worker/worker";
import type { Progress } from "./worker/pace";

type Input<K extends keyof Operations> = Parameters<Operations[K]>[0];
type Result<K extends keyof Operations> = Awaited<ReturnType<Operations[K]>>;

interface Waiting {
  resolve(result: unknown): void;
  reject(error: Error): void;
  onProgress: ((progress: Progress) => void) | undefined;
}

const worker = new Worker(new URL("./worker/worker.ts", import.meta.url), { type: "module" });
const waiting = new Map<number, Waiting>();
let lastId = 0;

worker.addEventListener("message", ({ data }: MessageEvent<Answer>) => {
  const call = waiting.get(data.id);
  if ("progress" in data) {
    call?.onProgress?.(data.progress);
    return;
  }
  waiting.delete(data.id);
  if ("problem" in data) call?.reject(new Error(data.problem));
  else call?.resolve(data.result);
});

worker.addEventListener("error", (event) => {
  for (const call of waiting.values()) call.reject(new Error(`The worker failed: ${event.message}`));
  waiting.clear();
});

export interface CallOptions {
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
}

/** Runs an operation of the worker; a cancelled one still answers, with what it had by then. */
export function call<K extends keyof Operations>(name: K, input: Input<K>, { signal, onProgress }: CallOptions = {}): Promise<Result<K>> {
  const id = (lastId += 1);
  const post = (request: Request) => worker.postMessage(request);
  return new Promise<Result<K>>((resolve, reject) => {
    waiting.set(id, { resolve: resolve as (result: unknown) => void, reject, onProgress });
    signal?.addEventListener("abort", () => post({ id, cancel: true }));
    post({ id, name, input });
  });
}
