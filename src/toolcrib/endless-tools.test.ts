/** @module-tag slow */
import { describe, expect, it } from "vitest";
import { temporaryToolcrib } from "../../test/support/temporary-toolcrib.ts";
import { defineTool, type Toolcrib } from "./index.ts";

const endless = defineTool({
  name: "endless",
  description: "Never ends, and ignores its signal.",
  risk: "read",
  run: (_, { output }) => {
    output("stdout", "begun\n");
    return new Promise(() => {});
  },
});

/** Answers long after its limit, but sooner than a tool that never does. */
const slow = defineTool({
  name: "slow",
  description: "Takes 2.5 seconds.",
  risk: "read",
  timeoutMs: 100,
  run: () => new Promise((resolve) => setTimeout(() => resolve("done"), 2_500)),
});

function hasBegun(crib: Toolcrib): Promise<void> {
  return new Promise((resolve) => crib.events.on(({ type }) => type === "tool-output" && resolve()));
}

// stages/limit-time.test.ts has the exact times.
describe("a tool that ignores its signal", () => {
  it("is left behind at the limit of the call, with what it emitted", async () => {
    await using made = await temporaryToolcrib({ tools: [endless] });
    const { error } = await made.crib.call("endless", {}, { timeoutMs: 50 });
    expect([error?.code, error?.output]).toEqual(["timeout", "begun\n"]);
  });

  it("is left behind at its own limit, although it answers later", async () => {
    await using made = await temporaryToolcrib({ tools: [slow] });
    expect((await made.crib.call("slow", {})).error?.code).toBe("timeout");
  });

  it("is left behind at an abort", async () => {
    await using made = await temporaryToolcrib({ tools: [endless] });
    const cancelling = new AbortController();
    const begun = hasBegun(made.crib);
    const call = made.crib.call("endless", {}, { signal: cancelling.signal });
    await begun;
    cancelling.abort();
    const { error } = await call;
    expect([error?.code, error?.output]).toEqual(["cancelled", "begun\n"]);
  });

  it("does not keep an instance from closing soon", async () => {
    await using made = await temporaryToolcrib({ tools: [endless] });
    const begun = hasBegun(made.crib);
    const call = made.crib.call("endless", {});
    await begun;
    const startedAt = performance.now();
    await made.crib.close();
    // About one second, on a machine with nothing else to do. Without a limit of its own it took 15 s.
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect((await call).error?.code).toBe("cancelled");
  });
});
