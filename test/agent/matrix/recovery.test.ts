import { expect, it } from "vitest";
import { describeSides } from "./sides.ts";
import { completed, openStage } from "./stage.ts";

describeSides("tools", (side) => {
  it("gets an error for a failed call, and corrects it", async () => {
    const stage = await openStage(
      side,
      (words) => [
        { calls: [words.read("peom.txt")] },
        { calls: [words.read("poem.txt")] },
        { calls: [words.edit("poem.txt", "a line that is not there", "x")] },
        { calls: [words.edit("poem.txt", "blue", "yellow")] },
        { text: "Done." },
      ],
      { files: { "poem.txt": "blue\n" } },
    );
    expect(await stage.ask("Mend it")).toEqual(completed("Done.", { rounds: 5, calls: 4 }));
    expect(stage.file("poem.txt")).toBe("yellow\n");
  });

  it("gets the available tools for an unknown tool", async () => {
    const stage = await openStage(side, (words) => [
      { calls: [{ name: "teleport", input: { to: "Mars" } }] },
      { calls: [words.shell("echo here")] },
      { text: "I stay." },
    ]);
    expect(await stage.ask("Go to Mars")).toEqual(completed("I stay.", { rounds: 3, calls: 2 }));
    expect(stage.answers()[0]).toContain("teleport");
  });

  it("gets an error for unreadable arguments, and nothing runs", async () => {
    const stage = await openStage(side, (words) => {
      const { name, input } = words.shell("echo broken > broken.txt");
      const raw = JSON.stringify(input).slice(0, -2);
      return [{ calls: [{ name, input, raw }] }, { text: "I shall write it properly." }];
    });
    const { outcome, text } = await stage.ask("Run it");
    expect({ outcome, text }).toEqual({ outcome: "completed", text: "I shall write it properly." });
    expect(() => stage.file("broken.txt")).toThrow();
  });

  it("makes both of two calls with one id", async () => {
    const stage = await openStage(side, (words) => [
      {
        calls: [words.shell("echo one >> log.txt"), words.shell("echo two >> log.txt")],
        fault: "duplicate-ids",
      },
      { text: "Both." },
    ]);
    expect(await stage.ask("Do both")).toEqual(completed("Both.", { rounds: 2, calls: 2 }));
    expect(stage.file("log.txt")).toBe("one\ntwo\n");
  });
});
