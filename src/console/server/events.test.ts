import { setTimeout as pause } from "node:timers/promises";
import { Hono } from "hono";
import { describe, expect, it, vi } from "vitest";
import { streamEvents } from "./events.ts";
import type { Follower } from "./follower.ts";
import type { LiveSessions } from "./live-sessions.ts";
import type { NumberedEvent } from "./recent-events.ts";

/** A stream of a follower that sends `first` events at once. */
function openStream(first: number) {
  let push = (_event: NumberedEvent) => {};
  const ends = { stream: vi.fn(), close: vi.fn(), session: vi.fn() };
  const missed = (number: number): NumberedEvent => ({ id: `a.${number}`, event: { type: "missed" } });
  const follower = {
    isClosed: false,
    lastId: "a.1",
    onClose: () => ends.close,
    subscribe: (listener: typeof push) => {
      push = listener;
      for (let number = 1; number <= first; number += 1) push(missed(number));
      return ends.stream;
    },
  } as unknown as Follower;
  const live = { watch: () => ends.session } as unknown as LiveSessions;
  const app = new Hono().get("/", (context) => streamEvents(context, { follower, live }));
  return { answer: app.request("/"), ends, push: (number: number) => push(missed(number)) };
}

describe("an event stream", () => {
  it("sends everything that was missed, and leaves nothing behind", async () => {
    const { answer, ends } = openStream(2_001);
    let text = "";
    for await (const piece of (await answer).body!.pipeThrough(new TextDecoderStream())) {
      text += piece;
      if (text.includes("id: a.2001\n")) break;
    }
    expect(text.match(/^data: /gm)).toHaveLength(2_001);
    await vi.waitFor(
      () => expect(Object.values(ends).map((end) => end.mock.calls.length)).toEqual([1, 1, 1]),
      { timeout: 60_000 },
    );
  });

  it("ends when the page does not read it", async () => {
    const { answer, ends, push } = openStream(10);
    await answer;
    // The stream waits for the page now.
    await pause(20);
    for (let number = 11; number < 6_000; number += 1) push(number);
    await vi.waitFor(() => expect(ends.stream).toHaveBeenCalledOnce(), { timeout: 60_000 });
  });
});
