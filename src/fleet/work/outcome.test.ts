import { describe, expect, it } from "vitest";
import { decideCheck, decideTurn, parkingTime, type TurnFacts } from "./outcome.ts";

const facts: TurnFacts = {
  ...{
    stop: undefined,
    turn: { outcome: "completed", error: null },
    refusal: undefined,
    cost: 0,
    budget: null,
  },
  limits: { rounds: 5, minutes: 2, dollars: 1 },
};
const failed = (code: string) => ({
  turn: { outcome: "failed", error: { code, message: "Why.", hint: null } } as TurnFacts["turn"],
});
const turn = (outcome: TurnFacts["turn"]["outcome"]) => ({ turn: { outcome, error: null } });

describe("decideTurn", () => {
  it.each<[Partial<TurnFacts>, unknown]>([
    [{}, undefined],
    [{ stop: "lost" }, { kind: "lost" }],
    [{ stop: "drain" }, { kind: "released" }],
    [{ stop: "cancelled" }, { outcome: "cancelled" }],
    [turn("loop"), { outcome: "unsolved" }],
    [turn("limit"), { outcome: "unsolved" }],
    [
      { ...turn("limit"), cost: 1 },
      { outcome: "unsolved", reason: "The model reached the limit of 1 dollars." },
    ],
    [{ ...turn("limit"), budget: 0.5, cost: 0.5 }, { outcome: "budget" }],
    [{ ...turn("aborted"), stop: "minutes" }, { outcome: "unsolved" }],
    [{ ...turn("aborted"), stop: "drain" }, { kind: "released" }],
    [{ ...failed("quota"), refusal: "budget" }, { outcome: "budget" }],
    [{ ...failed("quota"), refusal: "parked" }, { kind: "parked" }],
    [failed("empty"), { outcome: "unsolved", reason: "Why." }],
    ...["rate-limit", "server", "network", "quota", "timeout", "cut"].map(
      (code): [Partial<TurnFacts>, unknown] => [failed(code), { kind: "parked", reason: "Why." }],
    ),
    ...["auth", "not-found", "bad-request", "overflow", "internal"].map(
      (code): [Partial<TurnFacts>, unknown] => [failed(code), { outcome: "infrastructure", reason: "Why." }],
    ),
  ])("with %j gives %j", (change, expected) => {
    const decided = decideTurn({ ...facts, ...change });
    if (expected === undefined) expect(decided).toBeUndefined();
    else expect(decided).toMatchObject(expected as object);
  });
});

describe("decideCheck", () => {
  const check = { exitCode: 0, output: "", isTimeout: false, refusal: undefined };
  it("is solved without a check or with exit code 0, and unsolved by the model's fault only", () => {
    const checks = [undefined, check, { ...check, exitCode: 2 }, { ...check, isTimeout: true }];
    expect(checks.map((each) => Object(decideCheck(each)).outcome)).toEqual([
      ...["solved", "solved", "unsolved", "unsolved"],
    ]);
    expect(decideCheck({ ...check, refusal: "No sandbox." })).toMatchObject({ outcome: "infrastructure" });
  });
});

describe("parkingTime", () => {
  it("grows with the time that the run has been parked, up to ten minutes and jitter", () => {
    const at = (since: number | null, random: number) =>
      parkingTime(1_000_000_000, since, { leastMs: 1_000, random: () => random });
    expect([at(null, 0), at(null, 1), at(1_000_000_000 - 60_000, 0.5), at(0, 1)]).toEqual([
      ...[750, 1_250, 60_000, 750_000],
    ]);
  });
});
