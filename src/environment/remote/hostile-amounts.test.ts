import { expect, it } from "vitest";
import { channelPair } from "../../../test/support/environment/channel-pair.ts";
import {
  type Asked,
  answering,
  encodeFrame,
  greeting,
  invalid,
  read,
  type Target,
} from "../../../test/support/remote/hostile-target.ts";
import { failureOf } from "../conformance/world.ts";
import type { Channel } from "./channel.ts";
import { encodeBody, type FrameKind } from "./message.ts";
import { openRemoteEnvironment } from "./remote-environment.ts";

// A hostile target that tries to exhaust memory or patience.

it("stops an answer that does not end, at the size that was asked for", async () => {
  let sent = 0;
  const environment = await answering(async (asked: Asked, target: Target) => {
    const piece = Buffer.alloc(64 * 1024);
    while (await target.raw(encodeFrame({ kind: "answer", id: asked.id, more: true }, [piece])))
      sent += piece.length;
  });
  expect(await failureOf(read(environment))).toEqual(invalid("a body is longer than was asked for"));
  expect(sent).toBeLessThan(2_000_000);
});

it("keeps little of an answer in endless empty pieces", async () => {
  let sent = 0;
  const environment = await answering(async (asked: Asked, target: Target) => {
    const piece = Buffer.alloc(0);
    while (
      sent < 1000 &&
      (await target.raw(encodeFrame({ kind: "answer", id: asked.id, more: true }, [piece])))
    )
      sent += 1;
  });
  expect(await failureOf(read(environment))).toEqual(invalid("a body has too many pieces"));
  expect(sent).toBeLessThan(100);
});

it("keeps little of many calls that do not end", { tags: "slow" }, async () => {
  let sent = 0;
  const environment = await answering(async (_: Asked, target: Target) => {
    const piece = Buffer.alloc(1024 * 1024);
    const most = 300 * piece.length;
    for (let id = 1; sent < most; id += 1)
      for (let part = 0; part < 30; part += 1)
        if (await target.raw(encodeFrame({ kind: "call", id, more: true }, [piece]))) sent += piece.length;
        else return;
  });
  expect(await failureOf(read(environment))).toEqual(invalid("too many calls at once"));
  expect(sent).toBeLessThan(150_000_000);
});

it("answers no more calls of a target that does not read the answers", { tags: "slow" }, async () => {
  const { here, sent } = mute();
  const lost = openRemoteEnvironment(here).then((environment) => failureOf(read(environment)));
  expect(await lost).toEqual(invalid("too many calls at once"));
  expect(sent()).toBeLessThan(2000);
});

it("gives up a target that does not greet", async () => {
  const [here] = channelPair();
  await expect(openRemoteEnvironment(here, { greetingMs: 10 })).rejects.toMatchObject({ code: "timeout" });
});

it("refuses empty output, of which no window would ever be full", async () => {
  const environment = await answering(async (asked: Asked, target: Target) => {
    await target.send("answer", asked.id, { pid: 1, sandbox: "bwrap" });
    await target.note("output", { process: asked.value.as, stream: "stdout", bytes: Buffer.alloc(0) });
  });
  const { signal } = new AbortController();
  const running = await environment.start("cat", { args: [], signal });
  expect(await failureOf(running.exit)).toEqual(invalid("output is empty"));
});

it("stops output beyond the window, which no reader has taken", async () => {
  let sent = 0;
  const environment = await answering(async (asked: Asked, target: Target) => {
    await target.send("answer", asked.id, { pid: 1, sandbox: "bwrap" });
    const bytes = Buffer.alloc(64 * 1024);
    while (await target.note("output", { process: asked.value.as, stream: "stdout", bytes }))
      sent += bytes.length;
  });
  const { signal } = new AbortController();
  const process = await environment.start("cat", { args: [], signal });
  expect(await failureOf(process.exit)).toEqual(invalid("more output than was asked for"));
  expect(sent).toBeLessThan(2_000_000);
});

/** A target that calls without end, and never reads an answer. */
function mute(): { readonly here: Channel; sent(): number } {
  let sent = 0;
  const body = (value: unknown) => Buffer.concat(encodeBody(value) as Uint8Array[]);
  const frame = (kind: FrameKind, id: number, value: unknown) =>
    encodeFrame({ kind, id, more: false }, [body(value)]);
  const never = new Promise<never>(() => {});
  async function* messages(): AsyncGenerator<Uint8Array> {
    yield frame("note", 0, { method: "greeting", value: greeting });
    for (; sent < 5000; sent += 1) {
      yield frame("call", sent, { method: "announce", value: {} });
      await new Promise(setImmediate);
    }
    await never;
  }
  return { here: { send: () => never, messages: messages(), close: async () => {} }, sent: () => sent };
}
