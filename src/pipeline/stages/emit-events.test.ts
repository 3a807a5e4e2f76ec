import { describe, expect, it } from "vitest";
import { done, stageCall } from "../../../test/support/stages/stage-call.ts";
import type { CallEvent, Outcome } from "../../contract/call.ts";
import { type ErrorCode, ToolError } from "../../contract/error.ts";
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
    const base = { callId: "call_1", tool: "file.write", at: expect.any(Number) };
    expect(received).toEqual([
      { ...base, type: "start", input: { path: "a" } },
      { ...base, type: "progress", message: "half" },
      { ...base, type: "output", stream: "stdout", text: "hello" },
      { ...base, type: "end", result: done, durationMs: expect.any(Number) },
    ]);
  });

  it.each([
    ["denied", "denied"],
    ["needs-approval", "denied"],
    ["timeout", "error"],
  ] satisfies [ErrorCode, CallEvent["type"]][])(
    "ends a call that failed with %s with the event %s",
    async (code, type) => {
      const events = new CallEvents();
      const received: CallEvent[] = [];
      events.on((event) => received.push(event));
      const failure: Outcome = { ok: false, error: new ToolError(code, "no") };
      expect(await emitEvents(events)(stageCall(), async () => failure)).toBe(failure);
      expect(received.map((event) => event.type)).toEqual(["start", type]);
    },
  );

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
    expect(received).toEqual(["progress"]);
  });
});
