import { describe, expect, it } from "vitest";
import type { EntryState } from "../../contract/history.ts";
import type { RecordedChange } from "../journal.ts";
import { netChanges } from "./net-changes.ts";
import { planUndo } from "./plan-undo.ts";

const nothing: EntryState = { kind: "nothing" };
const folder: EntryState = { kind: "directory", mode: 0o755 };
const file = (hash: string, mode = 0o644): EntryState => ({ kind: "file", hash, bytes: 1, mode });

let sequence = 0;
const change = (callId: string, path: string, before: EntryState, after: EntryState, more: object = {}) => {
  sequence += 1;
  return { callId, sequence, path, before, after, ...more } as RecordedChange;
};

/** The plan in short: its steps in order, and the refusals. */
function plan(
  changes: readonly RecordedChange[],
  now: Readonly<Record<string, EntryState>>,
  options: { uncertain?: readonly string[]; kept?: (hash: string) => boolean } = {},
) {
  const { uncertain = [], kept = () => true } = options;
  const phases = netChanges(changes, ({ callId }) => uncertain.includes(callId));
  const result = planUndo(phases, { state: (path) => now[path] ?? nothing, has: kept });
  const short = (state: EntryState | undefined) =>
    state?.kind === "file"
      ? `${state.hash}${state.mode === 0o644 ? "" : ` ${state.mode.toString(8)}`}`
      : state?.kind;
  return [
    ...result.phases.flatMap(({ steps, move }) => [
      ...steps.map(({ path, now: found, wanted }) => `${path}: ${short(found)} → ${short(wanted)}`),
      ...(move ? [`move ${move.to} to ${move.from}`] : []),
    ]),
    ...result.conflicts.map(
      ({ net, reason }) => `${net.path} refused: ${"why" in reason ? reason.why : reason.kind}`,
    ),
    ...result.stuck.map(({ move, why }) => `move of ${move.to} refused: ${why}`),
  ];
}

describe("the net change of calls", () => {
  it("goes from the state the last call left to the state the first call found", () => {
    const changes = [
      change("one", "a", file("A"), file("B")),
      change("two", "a", file("B"), file("C", 0o755)),
      change("two", "b", nothing, file("X")),
      change("three", "b", file("X"), nothing),
    ];
    expect(plan(changes, { a: file("C", 0o755) })).toEqual(["a: C 755 → A"]);
  });

  it("is refused when the file was changed since or in between", () => {
    const since = [change("one", "a", file("A"), file("B"))];
    expect(plan(since, { a: file("H") })).toEqual(["a refused: changed"]);
    expect(plan(since, { a: file("B", 0o600) })).toEqual(["a refused: changed"]);
    expect(plan(since, {})).toEqual(["a refused: changed"]);
    const between = [...since, change("two", "a", file("H"), file("C"))];
    expect(plan(between, { a: file("C") })).toEqual(["a refused: changed"]);
  });

  it("is empty when everything is as it was before", () => {
    expect(plan([change("one", "a", file("A"), file("B"))], { a: file("A") })).toEqual([]);
  });

  it("leaves out a call that was undone in between or failed", () => {
    const changes = [
      change("one", "a", file("A"), file("B")),
      change("two", "a", file("B"), file("C")),
      change("three", "a", file("B"), file("D")),
    ];
    expect(plan(changes, { a: file("D") }, { uncertain: ["two"] })).toEqual(["a: D → A"]);
    expect(plan(changes, { a: file("D") })).toEqual(["a refused: changed"]);
    expect(plan(changes.slice(0, 2), { a: file("B") }, { uncertain: ["two"] })).toEqual(["a: B → A"]);
  });

  it("returns to the state another process left when a call had to plan again", () => {
    const changes = [change("one", "a", file("A"), file("B")), change("one", "a", file("H"), file("C"))];
    expect(plan(changes, { a: file("C") })).toEqual(["a: C → H"]);
  });

  it("is refused when the content is not stored, and needs none when it is unchanged", () => {
    const changes = [
      change("one", "a", file("A"), file("B")),
      change("one", "b", { ...file(""), bytes: 9 } as EntryState, nothing, { lost: "9 GB are too much" }),
      change("one", "c", file("C"), file("C", 0o755)),
    ];
    expect(plan(changes, { a: file("B"), c: file("C", 0o755) }, { kept: () => false })).toEqual([
      "c: C 755 → C",
      "a refused: its content is no longer stored",
      "b refused: 9 GB are too much",
    ]);
  });
});

describe("directories", () => {
  it("are removed when a call created them, with any permissions, and are not recreated if present", () => {
    const made = [change("one", "d", nothing, folder)];
    expect(plan(made, { d: { ...folder, mode: 0o700 } as EntryState })).toEqual(["d: directory → nothing"]);
    const removed = [change("one", "d", folder, nothing)];
    expect(plan(removed, { d: { ...folder, mode: 0o700 } as EntryState })).toEqual([]);
    expect(plan(removed, {})).toEqual(["d: nothing → directory"]);
    expect(plan(removed, { d: file("H") })).toEqual(["d refused: changed"]);
  });

  it("are not restored empty when their contents were not stored", () => {
    const removed = [change("one", "d", folder, nothing, { lost: "it held too much" })];
    expect(plan(removed, {})).toEqual(["d refused: it held too much"]);
  });

  const move = (callId: string, from: string, to: string, state = folder) => [
    change(callId, from, state, nothing, { moved: to }),
    change(callId, to, nothing, state, { moved: from }),
  ];

  it("are moved back in order with changes made before and after the move", () => {
    const changes = [
      change("one", "d/a", file("A"), file("B")),
      ...move("two", "d", "e"),
      change("three", "e/a", file("B"), file("C")),
      change("three", "d", nothing, file("D")),
    ];
    expect(plan(changes, { e: folder, "e/a": file("C"), d: file("D") })).toEqual([
      "e/a: C → B",
      "d: D → nothing",
      "move e to d",
      "d/a: B → A",
    ]);
  });

  it("are moved back more than once", () => {
    const changes = [
      ...move("one", "a", "b"),
      ...move("two", "b", "c"),
      change("three", "c/x", nothing, file("X")),
    ];
    expect(plan(changes, { c: folder, "c/x": file("X") })).toEqual([
      "c/x: X → nothing",
      "move c to b",
      "move b to a",
    ]);
  });

  it("restore what their move replaced", () => {
    const changes = [change("one", "e", file("E"), nothing), ...move("two", "d", "e")];
    expect(plan(changes, { e: folder })).toEqual(["move e to d", "e: nothing → E"]);
  });

  it("stay when something else has taken their path, or they are gone", () => {
    const changes = move("one", "d", "e");
    expect(plan(changes, { e: folder, d: file("H") })).toEqual(["move of e refused: d exists again"]);
    expect(plan(changes, {})).toEqual(["move of e refused: e has changed since"]);
    const earlier = [change("none", "d/a", file("A"), file("B")), change("none", "b", file("A"), file("B"))];
    const now = { e: folder, "e/a": file("B"), b: file("B"), d: file("H") };
    expect(plan([...earlier, ...changes], now)).toEqual([
      "b: B → A",
      "d/a refused: e cannot be moved back to d",
      "move of e refused: d exists again",
    ]);
    expect(plan(changes, { d: folder })).toEqual([]);
  });

  it("are moved as a whole, like a file that is too large to read", () => {
    const large = { kind: "file", hash: "", bytes: 9e9, mode: 0o644 } as const;
    const changes = [
      change("one", "a", large, nothing, { moved: "b" }),
      change("one", "b", file("B"), large, { moved: "a" }),
    ];
    expect(plan(changes, { b: { ...large, hash: "L" } })).toEqual(["move b to a", "b: nothing → B"]);
    expect(plan(changes, { b: { ...large, hash: "L", bytes: 1 } })).toContain(
      "move of b refused: b has changed since",
    );
  });
});
