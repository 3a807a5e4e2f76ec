import { duplexPair } from "node:stream";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { ToolError } from "../../contract/error.ts";
import { encodeNumber, FrameStream, frameTypes, maxMessageBytes } from "./frames.ts";
import { Link } from "./link.ts";
import { parseHello } from "./link-greeting.ts";
import { Inbox } from "./link-window.ts";

const session = { session: "a", secret: "b" };

/** Two ends of a channel, and a function that replaces their connection. */
function connectLinks() {
  let connect = async () => {};
  const onDetached = () => {};
  const client = new Link({ peer: "the server", onDetached: () => void connect() });
  const server = new Link({ peer: "the client", onDetached });
  let cut = () => {};
  connect = async () => {
    const [left, right] = duplexPair();
    const frames = framesOf(right);
    frames.onFrame = (_, body) => server.welcome(frames, parseHello(body)!);
    cut = () => {
      left.destroy();
      right.destroy();
    };
    await client.greet(framesOf(left), session).catch(() => connect());
  };
  return { client, server, connect: () => connect(), cut: () => cut() };
}

function framesOf(stream: ReturnType<typeof duplexPair>[0]): FrameStream {
  return new FrameStream({ readable: stream, writable: stream, destroy: () => stream.destroy() });
}

/** Reads everything that arrives, as text. */
async function readAll(link: Link, read: (text: string) => void = () => {}): Promise<readonly string[]> {
  const texts: string[] = [];
  for await (const message of link.messages) {
    texts.push(Buffer.from(message).toString());
    read(texts.at(-1)!);
  }
  return texts;
}

/** A link whose other side is played by the test, frame by frame. */
async function attachTo(received = 0) {
  const [left, right] = duplexPair();
  const link = new Link({ peer: "ssh:host", onDetached: () => {} });
  const frames = framesOf(right);
  const seen: (readonly [number, string])[] = [];
  frames.onFrame = (type, body) => {
    seen.push([type, body.toString()]);
    if (type === frameTypes.hello) frames.sendJson(frameTypes.welcome, { received });
  };
  const answer = await link.greet(framesOf(left), session);
  return { link, frames, seen, answer, raw: right };
}

async function errorOf(link: Link): Promise<unknown> {
  return readAll(link).catch((error: unknown) => error);
}

const broke = (what: string) => new ToolError("unavailable", `ssh:host broke the protocol: ${what}`);

it("delivers every message exactly once and in order, however often the connection is cut", {
  tags: "slow",
}, async () => {
  const { client, server, connect, cut } = connectLinks();
  await connect();
  const cuts = { left: 200 };
  const cutSometimes = () => {
    if (cuts.left > 0 && Math.random() < 0.3) {
      cuts.left--;
      setImmediate(cut);
    }
  };
  const count = 2000;
  const sent = Array.from({ length: count }, (_, index) => `${index}${"x".repeat((index * 7919) % 9000)}`);
  const sendAll = async (link: Link) => {
    for (const text of sent) await link.send(Buffer.from(text));
  };
  const arrived = Promise.withResolvers<void>();
  const received = [
    readAll(client, (text) => (text === sent.at(-1) ? arrived.resolve() : cutSometimes())),
    readAll(server, cutSometimes),
  ];
  await Promise.all([sendAll(client), sendAll(server)]);
  await arrived.promise;
  const closing = client.close();
  expect(await received[1]).toEqual(sent);
  await Promise.all([server.close(), closing]);
  expect(await received[0]).toEqual(sent);
  expect(cuts.left).toBe(0);
});

it("delivers what was sent before close, also while the connection is down", async () => {
  const { client, server, connect, cut } = connectLinks();
  await connect();
  cut();
  const sent = Array.from({ length: 300 }, (_, index) => `${index}`);
  for (const text of sent) await client.send(Buffer.from(text));
  const closing = client.close();
  expect(await readAll(server)).toEqual(sent);
  await server.close();
  await closing;
  expect([client.hasEnded, server.hasEnded]).toEqual([true, true]);
});

it("makes the sender wait while the reader of the other side does not read", async () => {
  const { client, server, connect } = connectLinks();
  await connect();
  let accepted = 0;
  const all = Promise.all(
    Array.from({ length: 20 }, () => client.send(new Uint8Array(maxMessageBytes)).then(() => accepted++)),
  );
  await new Promise(setImmediate);
  const acceptedEarly = accepted;
  let bytes = 0;
  const reading = (async () => {
    for await (const message of server.messages) bytes += message.length;
  })();
  await all;
  const closing = client.close();
  await reading;
  await Promise.all([server.close(), closing]);
  expect([acceptedEarly, accepted, bytes]).toEqual([4, 20, 20 * maxMessageBytes]);
});

it("refuses messages that are too long", async () => {
  const { link } = await attachTo();
  await expect(link.send(new Uint8Array(maxMessageBytes + 1))).rejects.toThrow(RangeError);
});

it("rejects sends and reads when the channel is lost", async () => {
  const { link } = await attachTo();
  const error = new ToolError("unavailable", "lost");
  const reading = errorOf(link);
  const sends = Array.from({ length: 6 }, () => link.send(new Uint8Array(maxMessageBytes)));
  link.lose(error);
  const results = await Promise.allSettled([...sends, link.send(new Uint8Array(1))]);
  expect([await reading, ...results.map(({ status }) => status)]).toEqual([
    error,
    ...Array.from({ length: 4 }, () => "fulfilled"),
    ...Array.from({ length: 3 }, () => "rejected"),
  ]);
});

it.each<[what: string, attack: (frames: FrameStream) => void]>([
  ["message 2 after 0", (frames) => frames.send(frameTypes.message, encodeNumber(2))],
  ["message 0 after 0", (frames) => frames.send(frameTypes.message, encodeNumber(0))],
  ["a message that was never sent", (frames) => frames.send(frameTypes.taken, encodeNumber(1))],
  ["a frame without a number", (frames) => frames.send(frameTypes.message, Buffer.alloc(2))],
  ["a frame of type 99", (frames) => frames.send(99, encodeNumber(1))],
  [
    "a message after the end",
    (frames) => {
      frames.send(frameTypes.end, encodeNumber(1));
      frames.send(frameTypes.message, encodeNumber(2));
    },
  ],
])("gives up a hostile peer that sends %s", async (what, attack) => {
  const { link, frames } = await attachTo();
  attack(frames);
  await expect.poll(() => link.hasEnded).toBe(true);
  await expect(link.send(new Uint8Array(1))).rejects.toEqual(broke(what));
});

it("gives up a peer that sends more than the window, without storing it", async () => {
  const { link, frames } = await attachTo();
  const message = new Uint8Array(maxMessageBytes);
  for (let number = 1; number <= 6; number++) frames.send(frameTypes.message, encodeNumber(number), message);
  await expect.poll(() => link.hasEnded).toBe(true);
  expect(await errorOf(link)).toEqual(broke("more messages than the window allows"));
});

it("keeps no answers for a peer that sends pings and does not read", async () => {
  const [left, right] = duplexPair();
  const link = new Link({ peer: "ssh:host", onDetached: () => {} });
  const body = '{"received":0}';
  right.write(Buffer.from([0, 0, 0, body.length + 1, frameTypes.welcome, ...Buffer.from(body)]));
  await link.greet(framesOf(left), session);
  const pings = Array.from({ length: 1000 }, () => [0, 0, 0, 1, frameTypes.ping]).flat();
  for (let round = 0; round < 100; round++) {
    right.write(Buffer.from(pings));
    await new Promise(setImmediate);
  }
  expect(left.writableLength).toBeLessThan(100_000);
});

it("gives up a peer that announces a frame that is too long, before it arrives", async () => {
  const { link, raw } = await attachTo();
  raw.write(Buffer.from([0xff, 0xff, 0xff, 0xff, 4]));
  expect(await errorOf(link)).toEqual(broke("a frame of 4294967295 bytes"));
});

it("gives up a peer that has received messages that were never sent", async () => {
  const { link } = await attachTo(5);
  expect(await errorOf(link)).toEqual(broke("a message that was never sent"));
});

it.each([
  ["gone", { type: frameTypes.refused, body: '{"reason":"gone"}' }],
  ["session", { type: frameTypes.refused, body: '{"reason":"session"}' }],
  ["protocol", { type: frameTypes.refused, body: "[" }],
  ["protocol", { type: frameTypes.welcome, body: '{"received":-1}' }],
  ["protocol", { type: frameTypes.message, body: "hello!" }],
])("returns the refusal %s of a greeting", async (refusal, { type, body }) => {
  const [left, right] = duplexPair();
  const link = new Link({ peer: "ssh:host", onDetached: () => {} });
  framesOf(right).send(type, Buffer.from(body));
  expect(await link.greet(framesOf(left), session)).toBe(refusal);
});

it("cuts a connection on which nothing answers, and only then", async () => {
  const [left, right] = duplexPair();
  let isDetached = false;
  const link = new Link({
    peer: "ssh:host",
    onDetached: () => {
      isDetached = true;
    },
    pingMs: 20,
  });
  const frames = framesOf(right);
  let pings = 0;
  frames.onFrame = (type) => {
    if (type === frameTypes.hello) frames.sendJson(frameTypes.welcome, { received: 0 });
    else if (type === frameTypes.ping && ++pings <= 5) frames.send(frameTypes.pong);
  };
  await link.greet(framesOf(left), session);
  await expect.poll(() => isDetached).toBe(true);
  expect(pings).toBe(8);
});

it("reads frames however the connection splits them", async () => {
  const [left, right] = duplexPair();
  const frames = framesOf(left);
  const seen: string[] = [];
  frames.onFrame = (type, body) => seen.push(`${type}${body}`);
  const bytes = Buffer.concat([1, 2, 3].map((type) => Buffer.from([0, 0, 0, 3, type, 65, 66])));
  for (const byte of bytes) right.write(Buffer.from([byte]));
  right.write(bytes);
  await expect.poll(() => seen.length).toBe(6);
  expect(seen).toEqual(["1AB", "2AB", "3AB", "1AB", "2AB", "3AB"]);
});

it("frees the memory of a message that was read while others wait", async () => {
  setFlagsFromString("--expose_gc");
  const collect = runInNewContext("gc") as () => void;
  const inbox = new Inbox();
  for (const number of [1, 2]) inbox.add(frameTypes.message, number, new Uint8Array(1000));
  const read = new WeakRef(inbox.take()!);
  // A weak reference keeps its object until the current task ends.
  await new Promise((resolve) => setImmediate(resolve));
  collect();
  expect(read.deref()).toBeUndefined();
  expect(inbox.take()).toHaveLength(1000);
});
