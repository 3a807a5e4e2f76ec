import { once } from "node:events";
import { type Duplex, duplexPair } from "node:stream";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { frame, frameBytes, frameKinds, RelayChannel, windowBytes } from "./relay-channel.ts";

const open1 = frame(1, frameKinds.open);
const block = frame(1, frameKinds.data, Buffer.alloc(frameBytes));

describe("RelayChannel", () => {
  it("keeps running or closes on any input from inside", async () => {
    const anything = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc
        .tuple(fc.nat(7), fc.nat(9), fc.uint8Array({ maxLength: 20 }))
        .map(([id, kind, content]) => new Uint8Array(frame(id, kind, content))),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(anything), async (pieces) => {
        const { relay, inside } = open((client) => client.resume().end("hello"));
        inside.on("error", () => {});
        for (const piece of pieces) inside.write(piece);
        await new Promise(setImmediate);
        relay.close();
        expect(await relay.listening()).toEqual([]);
        expect(await relay.connect(80)).toBeUndefined();
      }),
    );
  });

  it.each([
    ["data beyond the window", [open1, ...Array(windowBytes / frameBytes + 1).fill(block)]],
    ["data after the end", [open1, frame(1, frameKinds.end), block]],
    ["a connection twice", [open1, open1]],
    ["a connection with a reserved number", [frame(2, frameKinds.open)]],
    ["an unexpected answer", [frame(0, frameKinds.listening)]],
    ["an invalid credit", [open1, frame(1, frameKinds.credit, Buffer.from([1]))]],
    ["an unknown frame kind", [open1, frame(1, 99)]],
  ])("closes when the relay sends %s", async (_what, frames) => {
    const { inside, channel } = open(() => {});
    const closed = once(channel, "close");
    for (const bytes of frames) inside.write(bytes);
    await closed;
    expect(channel.destroyed).toBe(true);
  });

  it("continues after an empty write, which HTTP uses to end a response", async () => {
    const { inside } = open((client) => {
      client.write("");
      client.write("more");
    });
    inside.write(open1);
    const [first] = await once(inside, "data");
    expect(first).toEqual(frame(1, frameKinds.data, Buffer.from("more")).subarray(0, first.length));
  });

  it("buffers at most one window of data that is not read", async () => {
    const clients: Duplex[] = [];
    const { inside, channel } = open((client) => clients.push(client));
    inside.write(open1);
    for (let sent = 0; sent < windowBytes; sent += frameBytes) inside.write(block);
    await new Promise(setImmediate);
    expect({ held: clients[0]?.readableLength, isOpen: !channel.destroyed }).toEqual({
      held: windowBytes,
      isOpen: true,
    });
  });
});

function open(welcome: (client: Duplex) => void): {
  readonly relay: RelayChannel;
  readonly channel: Duplex;
  readonly inside: Duplex;
} {
  const [channel, inside] = duplexPair({ highWaterMark: 16 * 1024 * 1024 });
  const relay = new RelayChannel(channel, welcome);
  inside.resume();
  return { relay, channel, inside };
}
