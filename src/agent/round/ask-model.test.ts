import { describe, expect, it } from "vitest";
import { eachEvent } from "./ask-model.ts";

const forever = Number.POSITIVE_INFINITY;

/** A stream that ignores being ended. */
async function* deaf(...events: number[]): AsyncGenerator<number> {
  yield* events;
  await new Promise(() => {});
}

async function taken(
  open: (signal: AbortSignal) => AsyncIterable<number>,
  { signal = new AbortController().signal, silenceMs = forever, enough = forever } = {},
) {
  const events: number[] = [];
  const end = eachEvent(open, { signal, silenceMs }, (event) => {
    events.push(event);
    return events.length >= enough;
  });
  return end.then(
    () => ({ events }),
    (error: unknown) => ({ events, error }),
  );
}

describe("a stream", () => {
  it("is passed on until it ends", async () => {
    async function* stream() {
      yield* [1, 2];
    }
    expect(await taken(stream)).toEqual({ events: [1, 2] });
  });

  it("is closed when the consumer is done, without waiting for its end", async () => {
    expect(await taken(() => deaf(1, 2, 3), { enough: 2 })).toEqual({ events: [1, 2] });
  });

  it("passes on its error unchanged", async () => {
    const error = new Error("broken");
    async function* stream() {
      yield 1;
      throw error;
    }
    expect(await taken(stream)).toEqual({ events: [1], error });
    const unopened = () => {
      throw error;
    };
    expect(await taken(unopened)).toEqual({ events: [], error });
  });

  it("ends at once when aborted, also if it ignores its signal", async () => {
    const stop = new AbortController();
    const reason = new Error("stopped");
    const received: unknown[] = [];
    const ended = taken(
      (signal) => {
        signal.addEventListener("abort", () => received.push(signal.reason));
        return deaf(1);
      },
      { signal: stop.signal },
    );
    setTimeout(() => stop.abort(reason), 5);
    expect(await ended).toEqual({ events: [1], error: reason });
    expect(received).toEqual([reason]);
  });

  it("is not opened when already aborted", async () => {
    const reason = new Error("stopped");
    const open = () => expect.unreachable();
    expect(await taken(open, { signal: AbortSignal.abort(reason) })).toEqual({ events: [], error: reason });
  });

  it("times out when it falls silent, before its first event or later", async () => {
    const error = expect.objectContaining({
      code: "timeout",
      message: "The model sent nothing for 20 ms.",
    });
    expect(await taken(() => deaf(), { silenceMs: 20 })).toEqual({ events: [], error });
    expect(await taken(() => deaf(1, 2), { silenceMs: 20 })).toEqual({ events: [1, 2], error });
  });

  it("rejects with the reason of the abort, not with its own error", async () => {
    const stop = new AbortController();
    async function* stream(signal: AbortSignal) {
      yield 1;
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      throw new TypeError("terminated");
    }
    const ended = taken(stream, { signal: stop.signal });
    const reason = new Error("stopped");
    setTimeout(() => stop.abort(reason), 5);
    expect(await ended).toEqual({ events: [1], error: reason });
  });
});
