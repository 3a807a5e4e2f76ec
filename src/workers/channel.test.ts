import { describe, expect, it } from "vitest";
import type { Reading } from "../contract/code.ts";
import { ToolError } from "../contract/error.ts";
import { Channel } from "./channel.ts";

interface Sums {
  add(numbers: readonly number[], options: Reading): Promise<number>;
  fail(error: Error, options: Reading): Promise<never>;
  wait(_: undefined, options: Reading): Promise<string>;
  addOfYours(count: number, options: Reading): Promise<number>;
}

interface Ours {
  number(index: number): Promise<number>;
}

const always = { signal: new AbortController().signal };

describe("a channel", () => {
  it("returns the matching answer for each request", async () => {
    const { asking } = joined();
    const sums = Array.from({ length: 50 }, (_, count) => asking.ask("add", [count, 1], always));
    expect(await Promise.all(sums)).toEqual(Array.from({ length: 50 }, (_, count) => count + 1));
  });

  it("passes on errors with code, message and hint", async () => {
    const { asking } = joined();
    const error = new ToolError("too-large", "Too much", { hint: "Ask for less." });
    await expect(asking.ask("fail", error, always)).rejects.toMatchObject({
      name: "ToolError",
      code: "too-large",
      message: "Too much",
      hint: "Ask for less.",
    });
    await expect(asking.ask("fail", new TypeError("Broken"), always)).rejects.toMatchObject({
      code: "internal",
      message: "Broken",
      stack: expect.stringContaining("TypeError: Broken"),
    });
  });

  it("allows requests in both directions", async () => {
    expect(await joined().asking.ask("addOfYours", 3, always)).toBe(0 + 10 + 20);
  });

  it("forwards cancellation to the other side", async () => {
    const { asking } = joined();
    const cancelling = new AbortController();
    const waiting = asking.ask("wait", undefined, cancelling);
    cancelling.abort();
    expect(await waiting).toBe("given up");
    expect(await asking.ask("wait", undefined, { signal: AbortSignal.abort() })).toBe("given up");
  });

  it("rejects all requests and aborts all work when it closes", async () => {
    const { asking, answering } = joined();
    const waiting = asking.ask("wait", undefined, always);
    asking.end(new Error("Gone"));
    await expect(waiting).rejects.toThrow("Gone");
    const wanted = asking.ask("wait", undefined, always);
    await new Promise((wake) => setImmediate(wake));
    answering.end(new Error("Gone"));
    expect(await wanted).toBe("given up");
  });
});

function joined() {
  const ours: Ours = { number: async (index) => index * 10 };
  const asking: Channel<Sums> = new Channel<Sums>(
    (message) => queueMicrotask(() => answering.receive(message)),
    ours,
  );
  const sums: Sums = {
    add: async (numbers) => numbers.reduce((sum, number) => sum + number, 0),
    fail: async (error) => {
      throw error;
    },
    wait: (_, { signal }) =>
      new Promise((resolve) => {
        if (signal.aborted) resolve("given up");
        signal.addEventListener("abort", () => resolve("given up"));
      }),
    addOfYours: async (count, options) => {
      const indexes = Array.from({ length: count }, (_, index) => index);
      const numbers = await Promise.all(indexes.map((index) => answering.ask("number", index, options)));
      return numbers.reduce((sum, number) => sum + number, 0);
    },
  };
  // Also while the handler is still loading.
  const answering = new Channel<Ours>(
    (message) => queueMicrotask(() => asking.receive(message)),
    Promise.resolve(sums),
  );
  return { asking, answering };
}
