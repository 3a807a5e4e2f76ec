import { describe, expect, it } from "vitest";
import { type FoundLoop, LoopWatch, loopNotice, type WatchedCall } from "./loops.ts";

function call(input: unknown, content = "same", more: Partial<WatchedCall> = {}): WatchedCall {
  return { name: "read", canonical: "file.read", input, content, failure: undefined, ...more };
}

/** The findings of each round; a round is the calls of one reply. */
function found(rounds: readonly (readonly WatchedCall[])[]): (FoundLoop | undefined)[] {
  const watch = new LoopWatch();
  return rounds.map((calls, index) => watch.note({ calls, round: index + 1 }));
}

const actions = (rounds: readonly (readonly WatchedCall[])[]) => found(rounds).map((loop) => loop?.action);
const times = <Value>(count: number, value: Value): Value[] => new Array<Value>(count).fill(value);

describe("identical calls", () => {
  it("warn when a call returns the same result a third time, and stop at the fifth", () => {
    const calls = ['read({"path":"a"})'];
    expect(found(times(5, [call({ path: "a" })]))).toEqual([
      undefined,
      undefined,
      { action: "warned", kind: "cycle", calls, times: 3 },
      undefined,
      { action: "stopped", kind: "cycle", calls, times: 5 },
    ]);
  });

  it("with another result are progress", () => {
    expect(actions([1, 2, 3, 4, 5, 6].map((number) => [call({ path: "a" }, `${number} lines`)]))).toEqual(
      times(6, undefined),
    );
  });

  it("ignore durations and output handles, which differ each time", () => {
    const rounds = [1, 2, 3].map((number) => {
      const output = `Wall time: 0.${number} seconds\nduration: ${number} ms\nmake ended after ${number}.5 s, see out_00000${number}`;
      return [call({ command: "make" }, output)];
    });
    expect(actions(rounds)).toEqual([undefined, undefined, "warned"]);
  });

  it("with another time printed by a program are progress", () => {
    const rounds = [97, 94, 91, 88, 85, 82].map((left) => [call({}, `Remaining: ${left} seconds`)]);
    expect(actions(rounds)).toEqual(times(6, undefined));
  });

  it("with a difference in the middle of a long result are progress", () => {
    const long = (middle: string) => `${"a".repeat(5_000)}${middle}${"b".repeat(5_000)}`;
    expect(actions(["1 s", "2 s", "3 s", "4 s"].map((text) => [call({}, long(text))]))).toEqual(
      times(4, undefined),
    );
  });

  it("stop a model only after a warning in an earlier round", () => {
    expect(actions([times(7, call({})), [call({})]])).toEqual(["warned", "stopped"]);
  });

  it("are forgotten when the user sends a message", () => {
    const watch = new LoopWatch();
    const four = (round: number) =>
      [0, 1, 2, 3].map((index) => watch.note({ calls: [call({})], round: round + index })?.action);
    expect(four(1)).toEqual([undefined, undefined, "warned", undefined]);
    watch.reset();
    expect(four(5)).toEqual([undefined, undefined, "warned", undefined]);
  });
});

describe("cycles", () => {
  it.each([2, 3])("warn when a cycle of %i calls repeats a third time, and stop at the fifth", (period) => {
    const cycle = Array.from({ length: period }, (_, index) => [call({ index })]);
    const calls = cycle.map((_, index) => `read({"index":${index}})`);
    const loops = found(times(5, cycle).flat());
    expect(loops.flatMap((loop, index) => (loop ? [{ round: index + 1, ...loop }] : []))).toEqual([
      { round: period * 3, action: "warned", kind: "cycle", calls, times: 3 },
      { round: period * 5, action: "stopped", kind: "cycle", calls, times: 5 },
    ]);
  });

  it("are not counted when another call comes between", () => {
    const rounds = [0, 1, 2, 3, 4].flatMap((number) => [
      [call({ path: "a" })],
      [call({ number })],
      [call({ more: number })],
    ]);
    expect(actions(rounds)).toEqual(times(15, undefined));
  });
});

describe("polling", () => {
  const polls: Partial<WatchedCall>[] = [
    { canonical: "process.wait" },
    { canonical: "process.output" },
    { canonical: "agent.wait" },
    { canonical: "shell.run", input: { command: "sleep 5; cat log" } },
    { canonical: "process.start", input: { command: "sleep 5" } },
  ];
  it.each(polls)("may use $canonical for a while", (more) => {
    const loops = found(times(40, [call({ id: 1 }, "still running", more)]));
    expect(loops.flatMap((loop, index) => (loop ? [[index + 1, loop.action, loop.kind]] : []))).toEqual([
      [12, "warned", "polling"],
      [40, "stopped", "polling"],
    ]);
  });
});

it("is recognized by the position of a waiting command, not by a word", () => {
  const inputs = [{ command: "cat wait.txt" }, { command: "ls sleep/" }, { cmd: "grep -r sleep ." }];
  const loops = inputs.map((input) => actions(times(3, [call(input, "same", { canonical: "shell.run" })])));
  expect(loops).toEqual(times(3, [undefined, undefined, "warned"]));
});

describe("errors", () => {
  const fails = (input: unknown, more: Partial<WatchedCall> = {}) =>
    call(input, `There is no ${JSON.stringify(input)}`, { failure: "not-found", ...more });

  it("warn when a tool fails in the same way a fourth time, with any arguments", () => {
    const loops = found([1, 2, 3, 4, 5, 6, 7, 8, 9].map((number) => [fails({ number })]));
    expect(loops).toEqual([
      ...times(3, undefined),
      { action: "warned", kind: "error", calls: ['read({"number":4})'], times: 4 },
      ...times(5, undefined),
    ]);
  });

  it("stop when it fails with the same message an eighth time", () => {
    const rounds = [1, 2, 3, 4, 5, 6, 7, 8].map((number) => [
      { ...fails({ number }), content: "No such place" },
    ]);
    expect(actions(rounds)).toEqual([...times(3, undefined), "warned", ...times(3, undefined), "stopped"]);
  });

  it("treat a command that fails differently each time as progress", () => {
    const rounds = Array.from({ length: 12 }, (_, number) => [
      call({ command: "make" }, `error ${number}`, { canonical: "shell.run", failure: "failed" }),
      call({ number }, "edited", { canonical: "edit.replace" }),
    ]);
    expect(actions(rounds)).toEqual(times(12, undefined));
  });

  it("count several failures in one reply once", () => {
    expect(actions([[1, 2, 3, 4, 5, 6].map((number) => fails({ number }))])).toEqual([undefined]);
  });

  it("keep counting when other tools succeed, and restart when this one succeeds or fails differently", () => {
    const other = call({}, "fine", { name: "list", canonical: "file.list" });
    const with3 = (between: WatchedCall) =>
      actions([1, 2, 3, 4].map((number) => [fails({ number }), { ...between, content: `${number}` }]));
    expect(with3(other)).toEqual([undefined, undefined, undefined, "warned"]);
    expect(with3(call({}))).toEqual(times(4, undefined));
    expect(with3(fails({}, { failure: "stale" }))).toEqual(times(4, undefined));
  });
});

it("warns when consecutive replies cannot be parsed, and stops at the fifth", () => {
  const watch = new LoopWatch();
  const rounds = [1, 2, 3, 4, 5].map((round) => watch.note({ calls: [], isFault: true, round }));
  expect(rounds.map((loop) => loop && [loop.action, loop.kind, loop.times])).toEqual([
    undefined,
    undefined,
    ["warned", "fault", 3],
    undefined,
    ["stopped", "fault", 5],
  ]);
  watch.note({ calls: [], round: 6 });
  expect(watch.note({ calls: [], isFault: true, round: 7 })).toBeUndefined();
});

it("warns once about a call that fails the same way each time", () => {
  const failing = call({}, "There is no a", { failure: "not-found" });
  expect(actions(times(5, [failing]))).toEqual([undefined, undefined, "warned", undefined, "stopped"]);
});

it("names the repeated calls and suggests what to do instead", () => {
  const loop = { action: "warned", calls: ['read({"path":"a"})'], times: 3 } as const;
  expect(loopNotice({ ...loop, kind: "cycle" })).toBe(
    'You made this call 3 times, with the same result each time:\n- read({"path":"a"})\nRepeating it will not change the result. Use what you already know, try something else, or say what blocks you.',
  );
  expect(loopNotice({ ...loop, kind: "polling" })).toContain("nothing changed");
  expect(loopNotice({ ...loop, kind: "fault" })).toContain("None of your last 3 replies");
  expect(loopNotice({ ...loop, kind: "error" })).toContain("failed 3 times in the same way");
});

it("shows at most one line of the arguments", () => {
  const [, , loop] = found(times(3, [call({ content: "x".repeat(10_000) })]));
  expect(loop?.calls[0]).toHaveLength("read()".length + 160);
});
