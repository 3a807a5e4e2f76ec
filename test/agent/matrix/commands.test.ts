import { expect, it } from "vitest";
import { runningWith } from "./running-with.ts";
import { describeSides } from "./sides.ts";
import { completed, openStage } from "./stage.ts";

describeSides("tools", (side) => {
  it("runs a command, and gets its output and exit status", async () => {
    const stage = await openStage(
      side,
      (words) => [
        { calls: [words.shell("echo to be heard; echo and this >&2; exit 3")] },
        { text: "It failed." },
      ],
      { sandbox: "auto" },
    );
    expect(await stage.ask("Run it")).toEqual(completed("It failed.", { rounds: 2, calls: 1 }));
    const [answer] = stage.answers();
    expect(["to be heard", "and this", "3"].filter((words) => !answer!.includes(words))).toEqual([]);
    const [end] = stage.events.filter(({ type }) => type === "tool-end");
    expect(end).toMatchObject({
      name: stage.words.shell("").name,
      output: expect.stringContaining("to be heard"),
    });
  });

  it("stops a command at its timeout, and leaves nothing running", { tags: "slow" }, async () => {
    const seconds = `3000.${Math.floor(Math.random() * 1e9)}`;
    const stage = await openStage(
      side,
      (words) => [{ calls: [words.tooLong(`echo begun; sleep ${seconds}`)] }, { text: "It takes too long." }],
      { sandbox: "auto" },
    );
    expect(await stage.ask("Run it")).toEqual(completed("It takes too long.", { rounds: 2, calls: 1 }));
    expect(stage.answers()[0]).toContain("begun");
    await stage.session.close();
    expect(runningWith(seconds)).toEqual([]);
  });

  it("gets the head and tail of a long output, and can read all of it", async () => {
    const stage = await openStage(side, (words) => [
      { calls: [words.shell("seq 1 50000")] },
      { text: "That was much." },
    ]);
    expect(await stage.ask("Count")).toEqual(completed("That was much.", { rounds: 2, calls: 1 }));
    const shown = stage.answers()[0]!;
    expect(shown.length).toBeLessThan(100_000);
    expect(shown).toContain("50000");
    const end = stage.events.find((event) => event.type === "tool-end")!;
    expect(end.shown).toBe(shown);
    expect(end.output.length).toBeGreaterThan(shown.length);
    expect(end.output).toContain("\n25000\n");
  });
});
