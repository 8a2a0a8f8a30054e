/** The engine's own behaviour: text in, results out, failure and restart. */
import { expect, test } from "vitest";
import { EvidenceError, LIMITS, init } from "agent-evidence";
import { call, currentGeneration } from "../../pkg/dist/engine.js";

test("a failure of the engine restarts it and says so, and the next call works", () => {
  const before = currentGeneration();
  let thrown: unknown;
  try {
    call((engine) => engine.input_reserve(0xffffffff));
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(EvidenceError);
  expect((thrown as EvidenceError).code).toBe("ENGINE_RESTARTED");
  expect((thrown as EvidenceError).cause).toBeInstanceOf(WebAssembly.RuntimeError);
  expect(currentGeneration()).toBe(before + 1);
  expect(call((engine) => engine.limits()).length).toBe(2);
});

test("an error that is not the engine's passes through", () => {
  const own = new RangeError("mine");
  const before = currentGeneration();
  expect(() => call(() => { throw own; })).toThrow(own);
  expect(currentGeneration()).toBe(before);
});

test("LIMITS cannot be changed", () => {
  expect(() => { (LIMITS as Record<string, unknown>)["DEFAULT_MAX_ITEMS"] = { value: 1, reason: "" }; }).toThrow(TypeError);
  expect(LIMITS["NO_SUCH_LIMIT"]).toBeUndefined();
  expect("DEFAULT_MAX_ITEMS" in LIMITS).toBe(true);
});

test("init in Node is harmless, and a wrong source is named", async () => {
  await init();
  await expect(init(7 as unknown as string)).rejects.toMatchObject({ code: "INVALID_ARGUMENT", details: { field: "source" } });
});
