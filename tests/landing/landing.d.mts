/** A highlight as offsets in all text of a page's body. */
export interface Highlight {
  start: number;
  end: number;
}

export type Verdict = "right" | "overrun" | "early" | "elsewhere" | "none";

export class Landing {
  static start(height?: number): Promise<Landing>;
  highlighted(html: string, directive: string): Promise<Highlight | null>;
  inPage<R, A>(html: string, read: (argument: A) => R, argument: A): Promise<R>;
  close(): Promise<void>;
}

export function verdict(expected: readonly [number, number], seen: Highlight | null): Verdict;
