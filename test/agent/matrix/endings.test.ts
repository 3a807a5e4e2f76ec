import { describe, expect, it } from "vitest";
import { describeSides, sides } from "./sides.ts";
import { completed, openStage } from "./stage.ts";

describe.each(sides)("$name", (side) => {
  it("is asked to continue when its text was cut", async () => {
    const stage = await openStage(side, () => [
      { text: "This is the first half of", finish: "length" },
      { text: "the whole." },
    ]);
    expect(await stage.ask("Say it all")).toEqual(completed("the whole.", { rounds: 2, calls: 0 }));
    expect(stage.server.requests[1]!.messages.at(-1)).toEqual({
      role: "user",
      text: expect.stringContaining("cut off"),
    });
  });

  it("makes no call that was cut", async () => {
    const stage = await openStage(side, (words) => {
      const { name, input } = words.shell("echo half > half.txt");
      const raw = JSON.stringify(input).slice(0, -4);
      return [{ text: "Now", calls: [{ name, input, raw }], finish: "length" }, { text: "Too long for me." }];
    });
    const { outcome, text } = await stage.ask("Do it");
    expect({ outcome, text }).toEqual({ outcome: "completed", text: "Too long for me." });
    expect(() => stage.file("half.txt")).toThrow();
  });
});

describeSides("session", (side) => {
  it("ends at the round limit, and can continue", { tags: "slow" }, async () => {
    const stage = await openStage(
      side,
      (words) =>
        ({ messages, number }) =>
          messages.at(-1)!.text === "Stop"
            ? { text: "Stopped." }
            : { calls: [words.shell(`echo ${number}`)] },
      { limits: { rounds: 3 } },
    );
    const { outcome, rounds, calls } = await stage.ask("Never stop");
    expect({ outcome, rounds, calls }).toEqual({ outcome: "limit", rounds: 3, calls: 3 });
    expect(await stage.ask("Stop")).toEqual(completed("Stopped.", { turn: 2, rounds: 1, calls: 0 }));
  });
});

// Ollama has no content filter.
const filtering = sides.filter(({ kind }) => kind !== "ollama");

describe.each(filtering)("$name", (side) => {
  it("reports a filtered reply, and can continue", async () => {
    const stage = await openStage(side, () => [{ text: "I", finish: "filtered" }, { text: "Here." }]);
    const { outcome, error } = await stage.ask("Say it");
    expect({ outcome, kind: error?.code }).toEqual({ outcome: "failed", kind: "bad-request" });
    expect(await stage.ask("Something else")).toEqual(completed("Here.", { turn: 2, rounds: 1, calls: 0 }));
  });
});
