import { expect, it } from "vitest";
import { boundedFetch } from "./bounded-fetch.ts";

const megabyte = 1024 * 1024;

/** The accepted length of a response that repeats one megabyte. */
async function taken(type: string, text: string, times: number, status = 200): Promise<number | string> {
  const chunk = Buffer.from(text.repeat(Math.ceil(megabyte / text.length)));
  let left = times;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      left -= 1;
      if (left < 0) controller.close();
      else controller.enqueue(chunk);
    },
  });
  const ask = async () => new Response(body, { status, headers: { "content-type": type } });
  const response = await boundedFetch("http://there", ask)("http://there/mcp");
  return response.arrayBuffer().then(
    ({ byteLength }) => Math.floor(byteLength / megabyte),
    ({ code }) => code,
  );
}

it("rejects a batch of messages", async () => {
  expect(await taken("application/json", "\ufeff [{},{}]", 1)).toBe("unsupported");
});

it("rejects an endless stream without events", async () => {
  expect(await taken("text/event-stream", "data: {}\n\n", 20)).toBe("too-large");
});

it("accepts a stream as long as its events end", { tags: "slow" }, async () => {
  expect(await taken("text/event-stream", `data: ${"x".repeat(1_000)}\n\n`, 20)).toBe(20);
  expect(await taken("text/event-stream", `data: ${"x".repeat(1_000)}\r\n\r\n`, 20)).toBe(20);
});

it("rejects a stream of events that is an error and does not end", async () => {
  expect(await taken("text/event-stream", `data: ${"x".repeat(1_000)}\n\n`, 20, 401)).toBe("too-large");
});

it("rejects an event or a response that never ends, in any number of lines", { tags: "slow" }, async () => {
  expect(await taken("text/event-stream", "data: x\n", 20)).toBe("too-large");
  expect(await taken("text/event-stream", "x", 20)).toBe("too-large");
  expect(await taken("application/json", "{1,\n\n", 20)).toBe("too-large");
});
