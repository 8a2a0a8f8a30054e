/** Argument checks: what TypeScript promises, held for callers that do not use it. */
import { EvidenceError } from "./errors.js";

/** Throws `INVALID_ARGUMENT` for `field`. */
export function refuse(field: string, expected: string, value: unknown): never {
  throw new EvidenceError("INVALID_ARGUMENT", `${field} must be ${expected}, not ${describe(value)}.`, { field });
}

function describe(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "number") return String(value);
  return typeof value === "undefined" ? "undefined" : `a ${typeof value}`;
}

/** A string. */
export function string(value: unknown, field: string): string {
  return typeof value === "string" ? value : refuse(field, "a string", value);
}

/** An integer from `least`; offsets, counts and milliseconds. */
export function integer(value: unknown, field: string, least = 0, most = 0xfffffffe): number {
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < least || value > most) {
    refuse(field, least === 0 ? "a non-negative integer" : `an integer from ${least}`, value);
  }
  return value;
}

/** A boolean. */
export function boolean(value: unknown, field: string): boolean {
  return typeof value === "boolean" ? value : refuse(field, "a boolean", value);
}

/** An array. */
export function array(value: unknown, field: string): readonly unknown[] {
  return Array.isArray(value) ? value : refuse(field, "an array", value);
}

/** An object that is no array. */
export function object(value: unknown, field: string): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : refuse(field, "an object", value);
}

/** Options: an object, or absent, with no key outside `known` (`UNKNOWN_OPTION`). */
export function options(value: unknown, field: string, known: readonly string[]): Record<string, unknown> {
  if (value === undefined) return {};
  const given = object(value, field);
  for (const key of Object.keys(given)) {
    if (!known.includes(key)) {
      throw new EvidenceError("UNKNOWN_OPTION", `${field}.${key} is not an option; there are: ${known.join(", ")}.`, { field: `${field}.${key}` });
    }
  }
  return given;
}

/** A host object with every method of `methods` (`MISSING_HOST_METHOD`). */
export function host<T>(value: unknown, field: string, methods: readonly string[]): T {
  if (typeof value !== "object" || value === null) refuse(field, "an object with the host's methods", value);
  for (const method of methods) {
    if (typeof (value as Record<string, unknown>)[method] !== "function") {
      throw new EvidenceError("MISSING_HOST_METHOD", `${field}.${method} must be a function.`, { field: `${field}.${method}` });
    }
  }
  return value as T;
}
