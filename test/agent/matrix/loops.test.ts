import { expect, it } from "vitest";
import { describeSides } from "./sides.ts";
import { completed, openStage } from "./stage.ts";

describeSides("session", (side) => {
  it("is warned when it repeats itself, and can recover", async () => {
    const stage = await openStage(
      side,
      (words) =>
        ({ messages }) =>
          /repeat|same/i.test(messages.at(-1)!.text)
            ? { text: "I was going in circles." }
            : { calls: [words.read("a.txt")] },
      { files: { "a.txt": "alpha\n" } },
    );
    expect(await stage.ask("Look")).toEqual(completed("I was going in circles.", { rounds: 4, calls: 3 }));
    const loops = stage.events.filter((event) => event.type === "loop");
    expect(loops.map(({ action, times }) => ({ action, times }))).toEqual([{ action: "warned", times: 3 }]);
  });

  it("is stopped when it keeps repeating, and accepts a new task", { tags: "slow" }, async () => {
    const stage = await openStage(
      side,
      (words) =>
        ({ messages }) =>
          messages.at(-1)!.text === "Something else" ? { text: "Gladly." } : { calls: [words.read("a.txt")] },
      { files: { "a.txt": "alpha\n" } },
    );
    const { outcome, calls } = await stage.ask("Look");
    expect({ outcome, calls }).toEqual({ outcome: "loop", calls: 5 });
    expect(await stage.ask("Something else")).toEqual(completed("Gladly.", { turn: 2, rounds: 1, calls: 0 }));
  });
});
