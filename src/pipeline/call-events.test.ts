import { expect, it } from "vitest";
import type { CallEvent } from "../contract/call.ts";
import { CallEvents } from "./call-events.ts";

const progress = (message: string): CallEvent => ({
  type: "tool-progress",
  callId: "c",
  name: "t",
  canonical: "t",
  at: 0,
  message,
});

it("sends every event to every listener until it is removed", () => {
  const events = new CallEvents();
  const seen: string[][] = [[], []];
  const record = (list: string[]) => (event: CallEvent) =>
    void list.push((event as { message: string }).message);
  const stopFirst = events.on(record(seen[0]!));
  events.on(record(seen[1]!));
  events.emit(progress("one"));
  stopFirst();
  events.emit(progress("two"));
  expect(seen).toEqual([["one"], ["one", "two"]]);
});

it("iterates over events as they arrive and ends when closed", async () => {
  const events = new CallEvents();
  const iterator = events[Symbol.asyncIterator]();
  events.emit(progress("before anyone asked"));
  const waiting = [iterator.next(), iterator.next(), iterator.next()];
  events.emit(progress("while waiting"));
  events.close();
  expect(await Promise.all(waiting)).toEqual([
    { done: false, value: progress("before anyone asked") },
    { done: false, value: progress("while waiting") },
    { done: true, value: undefined },
  ]);
});

it("stops collecting for an abandoned iteration", async () => {
  const events = new CallEvents();
  setImmediate(() => events.emit(progress("one")));
  for await (const event of events) {
    expect(event).toEqual(progress("one"));
    break;
  }
  expect(events.idle).toBe(true);
});

it("isolates listeners from each other's errors", () => {
  const events = new CallEvents();
  const seen: CallEvent[] = [];
  const warnings: unknown[] = [];
  const emitWarning = process.emitWarning;
  process.emitWarning = (warning: unknown) => void warnings.push(warning);
  try {
    events.on(() => {
      throw new Error("broken listener");
    });
    events.on((event) => void seen.push(event));
    events.emit(progress("one"));
  } finally {
    process.emitWarning = emitWarning;
  }
  expect([seen, warnings]).toEqual([[progress("one")], [new Error("broken listener")]]);
});
