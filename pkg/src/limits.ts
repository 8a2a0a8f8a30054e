import { call, Unpacker } from "./engine.js";

/** One bound: its value and why it is there. */
export interface Limit {
  readonly value: number;
  readonly reason: string;
}

let cached: Readonly<Record<string, Limit>> | undefined;

function read(): Readonly<Record<string, Limit>> {
  if (cached) return cached;
  const rows = new Unpacker(call((engine) => engine.limits()));
  const limits: Record<string, Limit> = {};
  while (!rows.done) {
    const name = rows.text();
    limits[name] = Object.freeze({ value: rows.number(), reason: rows.text().trim() });
  }
  return (cached = Object.freeze(limits));
}

/** Every bound of the library by name: `LIMITS.DEFAULT_MAX_ITEMS.value`. Read when first used. */
export const LIMITS: Readonly<Record<string, Limit>> = new Proxy({} as Record<string, Limit>, {
  get: (_, name) => (typeof name === "string" ? read()[name] : undefined),
  has: (_, name) => typeof name === "string" && name in read(),
  ownKeys: () => Object.keys(read()),
  getOwnPropertyDescriptor: (_, name) => {
    const value = typeof name === "string" ? read()[name] : undefined;
    return value && { value, enumerable: true, configurable: true, writable: false };
  },
  set: () => false,
  defineProperty: () => false,
  deleteProperty: () => false,
});
