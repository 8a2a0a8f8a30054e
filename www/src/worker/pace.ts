/** Lets a long pass in the worker tell how far it is and notice that it was cancelled. */
export interface Progress {
  /** What is being counted, such as "look-ups". */
  unit: string;
  done: number;
}

const REPORT_EVERY_MS = 50;

export class Pace {
  readonly #report: (progress: Progress) => void;
  readonly #signal: AbortSignal;
  #last = performance.now();

  constructor(report: (progress: Progress) => void, signal: AbortSignal) {
    this.#report = report;
    this.#signal = signal;
  }

  get cancelled(): boolean {
    return this.#signal.aborted;
  }

  /** Now and then reports, and gives the worker a turn in which a cancel can arrive. */
  async step(progress: Progress): Promise<void> {
    if (performance.now() - this.#last < REPORT_EVERY_MS) return;
    this.#report(progress);
    await new Promise((next) => setTimeout(next, 0));
    this.#last = performance.now();
  }
}
