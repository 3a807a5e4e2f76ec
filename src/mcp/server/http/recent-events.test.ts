import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { expect, it } from "vitest";
import { RecentEvents } from "./sessions.ts";

const message = (text: string): JSONRPCMessage => ({ jsonrpc: "2.0", method: "note", params: { text } });

async function replayed(events: RecentEvents, last: string): Promise<readonly JSONRPCMessage[]> {
  const missed: JSONRPCMessage[] = [];
  await events.replayEventsAfter(last, { send: async (_id, event) => void missed.push(event) });
  return missed;
}

it("replays the events a stream missed, and none of other streams", async () => {
  const events = new RecentEvents();
  const first = await events.storeEvent("a", message("1"));
  await events.storeEvent("b", message("2"));
  const last = await events.storeEvent("a", message("3"));
  expect([
    await replayed(events, first),
    await replayed(events, last),
    await events.getStreamIdForEventId(first),
    await replayed(events, "nobody's"),
  ]).toEqual([[message("3")], [], "a", []]);
});

it("drops the oldest events when there are many or they are large", async () => {
  const events = new RecentEvents();
  const first = await events.storeEvent("a", message("first"));
  for (let count = 0; count < 9; count += 1) await events.storeEvent("a", message("x".repeat(1024 * 1024)));
  const second = await events.storeEvent("a", message("second"));
  for (let count = 0; count < 2_000; count += 1) await events.storeEvent("a", message("small"));
  expect([
    await events.getStreamIdForEventId(first),
    await events.getStreamIdForEventId(second),
    (await replayed(events, "12")).length,
  ]).toEqual([undefined, undefined, 1999]);
});

it("does not store an event larger than the total limit", async () => {
  const events = new RecentEvents();
  const large = await events.storeEvent("a", message("x".repeat(9 * 1024 * 1024)));
  expect(await events.getStreamIdForEventId(large)).toBeUndefined();
});
