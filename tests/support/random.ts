/** Numbers that are the same on every machine (mulberry32's mixing). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  below(bound: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
  }

  once(inHowMany: number): boolean {
    return this.below(inHowMany) === 0;
  }

  of<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T;
  }
}
