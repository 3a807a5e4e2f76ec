import { describe, expect, it } from "vitest";
import { done, stageCall } from "../../../test/support/stages/stage-call.ts";
import type { CallEvent, Outcome } from "../../contract/call.ts";
import { ToolError } from "../../contract/error.ts";
import { CallEvents } from "../call-events.ts";
import { emitEvents } from "./emit-events.ts";

describe("emitEvents", () => {
  it("emits start, progress, output and end in this order", async () => {
    const events = new CallEvents();
    const received: CallEvent[] = [];
    events.on((event) => received.push(event));
    await emitEvents(events)(stageCall({ input: { path: "a" } }), async ({ notify }) => {
      notify({ type: "progress", message: "half" });
      notify({ type: "output", stream: "stdout", text: "hello" });
      return done;
    });
    const base = { callId: "call_1", name: "write_it", canonical: "file.write", at: expect.any(Number) };
    expect(received).toEqual([
      { ...base, type: "tool-start", input: { path: "a" } },
      { ...base, type: "tool-progress", message: "half" },
      { ...base, type: "tool-output", stream: "stdout", text: "hello" },
      {
        ...base,
        type: "tool-end",
        output: "done",
        isError: false,
        error: null,
        data: null,
        durationMs: expect.any(Number),
      },
    ]);
  });

  it("ends a call that failed with its error as plain data", async () => {
    const events = new CallEvents();
    const received: CallEvent[] = [];
    events.on((event) => received.push(event));
    const error = new ToolError("denied", "no", { hint: "Ask.", output: "half" });
    const failure: Outcome = { ok: false, error };
    expect(await emitEvents(events)(stageCall(), async () => failure)).toBe(failure);
    expect(received.map(({ type }) => type)).toEqual(["tool-start", "tool-end"]);
    expect(JSON.parse(JSON.stringify(received[1]))).toMatchObject({
      output: "half",
      isError: true,
      error: { code: "denied", message: "no", hint: "Ask." },
      data: null,
    });
  });

  it("serves listeners that are added and removed during the call", async () => {
    const events = new CallEvents();
    const received: CallEvent["type"][] = [];
    await emitEvents(events)(stageCall(), async ({ notify }) => {
      notify({ type: "progress", message: "without listeners" });
      const stop = events.on(({ type }) => received.push(type));
      notify({ type: "progress", message: "with one" });
      stop();
      return done;
    });
    expect(received).toEqual(["tool-progress"]);
  });
});
