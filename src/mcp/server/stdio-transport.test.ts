import { PassThrough, Writable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { expect, it } from "vitest";
import { StdioTransport } from "./stdio-transport.ts";

async function listening(output: Writable = new PassThrough()) {
  const input = new PassThrough();
  const received: JSONRPCMessage[] = [];
  const remarks: string[] = [];
  let closed = 0;
  const transport = new StdioTransport({ input, output, remark: (text) => remarks.push(text) });
  transport.onmessage = (message) => received.push(message);
  transport.onclose = () => {
    closed += 1;
  };
  await transport.start();
  return { input, output, transport, received, remarks, timesClosed: () => closed };
}

const ping = (id: number): JSONRPCMessage => ({ jsonrpc: "2.0", id, method: "ping" });
const line = (message: unknown) => `${JSON.stringify(message)}\n`;
const settle = () => wait(20);

it("reads messages however they are split into chunks", async () => {
  const { input, received } = await listening();
  const bytes = Buffer.from(line({ ...ping(1), params: { text: "Grüße 🧰" } }) + line(ping(2)));
  for (const byte of bytes) input.write(Buffer.of(byte));
  await settle();
  expect(received).toEqual([{ ...ping(1), params: { text: "Grüße 🧰" } }, ping(2)]);
});

it("skips input that is not a message, and continues", async () => {
  const { input, received, remarks } = await listening();
  input.write(`hello\n\n{"a":\n42\nnull\n{"jsonrpc":"1.0"}\n${line(ping(1))}`);
  input.write(Buffer.concat([Buffer.of(0xff, 0xfe, 0x00, 0x0a), Buffer.from(line(ping(2)))]));
  await settle();
  expect([received, remarks.length]).toEqual([[ping(1), ping(2)], 6]);
});

it("continues after a message whose handler throws", async () => {
  const { input, transport, remarks } = await listening();
  const taken: JSONRPCMessage[] = [];
  transport.onmessage = (message) => {
    if ("id" in message && message.id === 1) throw new Error("not this one");
    taken.push(message);
  };
  input.write(line(ping(1)) + line(ping(2)));
  await settle();
  expect([taken, remarks]).toEqual([[ping(2)], ["A message could not be processed: not this one"]]);
});

it("reads a batch of messages", async () => {
  const { input, received } = await listening();
  input.write(line([ping(1), "junk", ping(2)]));
  await settle();
  expect(received).toEqual([ping(1), ping(2)]);
});

it("warns when a batch has more messages than the limit", async () => {
  const { input, received, remarks } = await listening();
  input.write(line(Array.from({ length: 1_001 }, (_, index) => ping(index))));
  await settle();
  expect([received.length, remarks]).toEqual([
    1_000,
    ["Processed only the first 1000 of 1001 messages in a batch"],
  ]);
});

it("refuses a message that is too long, and reads the next", async () => {
  const { input, output, received } = await listening();
  const written: string[] = [];
  output.on("data", (chunk) => written.push(String(chunk)));
  input.write('{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"x":"');
  const megabyte = Buffer.alloc(1024 * 1024, "x");
  for (let count = 0; count < 33; count += 1) input.write(megabyte);
  input.write(`"}}\n${line(ping(8))}`);
  await settle();
  expect([received, written.map((text) => JSON.parse(text))]).toEqual([
    [ping(8)],
    [
      {
        jsonrpc: "2.0",
        id: 7,
        error: {
          code: -32600,
          message: `A message of ${64 + 33 * 1024 * 1024} bytes is too long: the limit is 33554432`,
        },
      },
    ],
  ]);
});

it("waits for a client that does not read, with one listener for all waiting messages", async () => {
  const taken: string[] = [];
  const pending: (() => void)[] = [];
  const output = new Writable({
    highWaterMark: 1,
    write(chunk, _encoding, done) {
      taken.push(String(chunk));
      pending.push(done);
    },
  });
  const { transport } = await listening(output);
  const sent = Array.from({ length: 100 }, (_, index) => transport.send(ping(index)));
  await settle();
  const more = Array.from({ length: 100 }, (_, index) => transport.send(ping(100 + index)));
  await settle();
  expect([taken.length, output.listenerCount("drain")]).toEqual([1, 1]);
  pending.shift()!();
  await settle();
  pending.shift()!();
  await Promise.all([...sent, ...more]);
  expect(taken.join("")).toBe(Array.from({ length: 200 }, (_, index) => line(ping(index))).join(""));
});

/** Reads nothing until it is released. */
function stuckOutput() {
  const pending: (() => void)[] = [];
  const output = new Writable({ write: (_chunk, _encoding, done) => void pending.push(done) });
  return { output, read: () => pending.shift()?.() };
}

it("stops reading from a client that leaves its results unread, until it reads them", async () => {
  const { output, read } = stuckOutput();
  const { input, transport, received } = await listening(output);
  input.write(line(ping(1)));
  await settle();
  void transport.send({ ...ping(1), params: { text: "x".repeat(9 * 1024 * 1024) } });
  await settle();
  for (let id = 2; id < 100; id += 1) {
    input.write(line(ping(id)));
    await new Promise(setImmediate);
  }
  const before = [received.length, input.isPaused()];
  read();
  await settle();
  expect([before, received.length, input.isPaused()]).toEqual([[1, true], 99, false]);
});

it("detects that a client with unread results has gone", async () => {
  const { output } = stuckOutput();
  const { input, transport, timesClosed } = await listening(output);
  void transport.send({ ...ping(1), params: { text: "x".repeat(9 * 1024 * 1024) } });
  await settle();
  input.end(line(ping(2)));
  await settle();
  expect(timesClosed()).toBe(1);
});

it.each([
  ["the input ends", ({ input }: { input: PassThrough }) => void input.end()],
  ["the input breaks", ({ input }: { input: PassThrough }) => void input.destroy(new Error("gone"))],
  ["the output breaks", ({ output }: { output: Writable }) => void output.destroy(new Error("EPIPE"))],
])("is closed once when %s", async (_name, breaks) => {
  const connection = await listening();
  breaks(connection as { input: PassThrough; output: Writable });
  await settle();
  expect(connection.timesClosed()).toBe(1);
  await expect(connection.transport.send(ping(1))).rejects.toThrow("The client has disconnected");
});
