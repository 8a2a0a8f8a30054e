/** The sample project's history, oldest commit first; `null` removes a file. */

const README = `# kettle

A small queue that retries until the water boils.

\`\`\`ts
import { Queue } from "kettle";

const queue = new Queue({ attempts: 5 });
queue.add(async () => send(order));
await queue.drain();
\`\`\`

How deliveries are retried is described in [docs/delivery.md](docs/delivery.md).
Run \`npm test\` before you push.
`;

const PACKAGE = `{
  "name": "kettle",
  "version": "0.3.0",
  "type": "module",
  "exports": "./src/index.ts",
  "scripts": {
    "test": "node --test test/*.test.ts",
    "typecheck": "tsc --noEmit"
  }
}
`;

const INDEX = `export { Queue, type QueueOptions } from "./queue.ts";
export { nextDelay, type BackoffOptions } from "./retry/backoff.ts";
export { systemClock, type Clock } from "./clock.ts";
`;

const CLOCK = `/** What the queue needs to know about time; tests bring their own. */
export interface Clock {
  now(): number;
  sleep(milliseconds: number): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (milliseconds) => new Promise((wake) => setTimeout(wake, milliseconds)),
};
`;

const BACKOFF_FIRST = `/** How long to wait before the next attempt. */
export function nextDelay(attempt: number): number {
  return 100 * 2 ** attempt;
}
`;

const BACKOFF = `export interface BackoffOptions {
  /** First wait, in milliseconds. */
  base: number;
  /** No wait is longer than this. */
  ceiling: number;
  /** A number in [0, 1): tests pass a constant. */
  random: () => number;
}

export const DEFAULTS: BackoffOptions = {
  base: 100,
  ceiling: 30_000,
  random: Math.random,
};

/**
 * How long to wait before attempt \`attempt\` (counted from 1).
 * Full jitter: anything from zero up to the exponential bound.
 */
export function nextDelay(attempt: number, options: Partial<BackoffOptions> = {}): number {
  const { base, ceiling, random } = { ...DEFAULTS, ...options };
  const bound = Math.min(ceiling, base * 2 ** (attempt - 1));
  return Math.floor(random() * bound);
}
`;

const QUEUE_FIRST = `import { nextDelay } from "./retry/backoff.ts";

type Job = () => Promise<void>;

export class Queue {
  #jobs: Job[] = [];

  add(job: Job): void {
    this.#jobs.push(job);
  }

  async drain(): Promise<void> {
    for (const job of this.#jobs.splice(0)) await this.#run(job);
  }

  async #run(job: Job): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await job();
      } catch {
        await new Promise((wake) => setTimeout(wake, nextDelay(attempt)));
      }
    }
  }
}
`;

const QUEUE = `import { systemClock, type Clock } from "./clock.ts";
import { nextDelay, type BackoffOptions } from "./retry/backoff.ts";

export type Job = () => Promise<void>;

export interface QueueOptions {
  /** A job that has failed this often is given up. */
  attempts?: number;
  clock?: Clock;
  backoff?: Partial<BackoffOptions>;
}

/** Runs jobs one after the other; a failing job is tried again after a growing wait. */
export class Queue {
  #jobs: Job[] = [];
  #failed: unknown[] = [];
  readonly #options: Required<QueueOptions>;

  constructor(options: QueueOptions = {}) {
    this.#options = { attempts: 5, clock: systemClock, backoff: {}, ...options };
  }

  /** Jobs waiting for their turn. */
  get size(): number {
    return this.#jobs.length;
  }

  add(job: Job): void {
    this.#jobs.push(job);
  }

  /** Runs everything that was added; answers with the errors of the jobs given up. */
  async drain(): Promise<unknown[]> {
    for (const job of this.#jobs.splice(0)) await this.#run(job);
    return this.#failed.splice(0);
  }

  async #run(job: Job): Promise<void> {
    const { attempts, clock, backoff } = this.#options;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await job();
      } catch (error) {
        if (attempt >= attempts) {
          this.#failed.push(error);
          return;
        }
        await clock.sleep(nextDelay(attempt, backoff));
      }
    }
  }
}
`;

const BACKOFF_TEST = `import assert from "node:assert/strict";
import { test } from "node:test";
import { nextDelay } from "../src/retry/backoff.ts";

test("the bound doubles with each attempt", () => {
  const random = () => 0.5;
  assert.equal(nextDelay(1, { random }), 50);
  assert.equal(nextDelay(2, { random }), 100);
  assert.equal(nextDelay(3, { random }), 200);
});

test("no wait is longer than the ceiling", () => {
  assert.equal(nextDelay(40, { random: () => 0.999, ceiling: 1_000 }), 999);
});
`;

const QUEUE_TEST = `import assert from "node:assert/strict";
import { test } from "node:test";
import { Queue } from "../src/queue.ts";

const clock = { now: () => 0, sleep: async () => {} };

test("a job that fails twice is done at the third attempt", async () => {
  let calls = 0;
  const queue = new Queue({ clock });
  queue.add(async () => {
    calls += 1;
    if (calls < 3) throw new Error("not yet");
  });
  assert.deepEqual(await queue.drain(), []);
  assert.equal(calls, 3);
});

test("a job that keeps failing is given up and its error handed over", async () => {
  const queue = new Queue({ attempts: 2, clock });
  const cause = new Error("no water");
  queue.add(async () => { throw cause; });
  assert.deepEqual(await queue.drain(), [cause]);
});
`;

const WORKFLOW = `name: ci
on: [push]
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: npm run typecheck
      - run: npm test
`;

export const DELIVERY = `# Delivery

A job is *delivered* once its promise resolves. Until then it belongs to the queue, and the queue keeps trying.

## Retries

The wait before an attempt is drawn at random between zero and a bound that doubles each time, from 100 ms up to 30 s. Drawing at random keeps a thousand clients that failed together from coming back together.

After five attempts a job is **given up**: its error is kept and handed to whoever calls \`drain()\`. Nothing is dropped silently.

| attempt | longest wait |
| --- | --- |
| 1 | 100 ms |
| 2 | 200 ms |
| 5 | 1.6 s |
| 10 | 30 s |

## Order

Jobs run one after the other, in the order in which they were added. A job that waits for its next attempt holds up the ones behind it; use several queues where that hurts.

> A queue lives in memory. If the process ends, what was waiting is gone: write the job down first when losing it would matter.

## Time

The queue asks a \`Clock\` for the time and never the system itself, so a test can bring its own and no test has to sleep. See \`src/clock.ts\`.

1. \`now()\` answers in milliseconds since the epoch.
2. \`sleep(ms)\` resolves after that many milliseconds.

Café owners write to us in many languages; job names such as 「湯を沸かす」 or "☕ refill" are kept as they are.
`;

export const HISTORY = [
  { date: "2026-03-02T09:12:00Z", message: "A queue that runs jobs in order", changes: { "README.md": "# kettle\n\nA small queue.\n", "package.json": PACKAGE, "src/queue.ts": QUEUE_FIRST, "src/backoff.ts": BACKOFF_FIRST, "src/index.ts": INDEX } },
  { date: "2026-03-03T14:40:00Z", message: "Move the waiting into retry/", changes: { "src/backoff.ts": null, "src/retry/backoff.ts": BACKOFF_FIRST } },
  { date: "2026-03-09T10:05:00Z", message: "Full jitter: clients no longer come back together", changes: { "src/retry/backoff.ts": BACKOFF, "test/backoff.test.ts": BACKOFF_TEST } },
  { date: "2026-03-11T16:31:00Z", message: "Ask a Clock for the time", changes: { "src/clock.ts": CLOCK, "src/queue.ts": QUEUE, "test/queue.test.ts": QUEUE_TEST } },
  { date: "2026-03-12T08:20:00Z", message: "Describe how deliveries are retried", changes: { "docs/delivery.md": DELIVERY, "README.md": README, ".github/workflows/ci.yml": WORKFLOW } },
];
