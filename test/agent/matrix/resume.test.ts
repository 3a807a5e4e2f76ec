import { expect, it } from "vitest";
import { describeSides } from "./sides.ts";
import { completed, openStage } from "./stage.ts";

describeSides("tools", (side) => {
  it("continues a stored session with all of its reasoning", async () => {
    const stage = await openStage(
      side,
      (words) => [
        {
          reasoning: "Look.\n\nLook twice.",
          text: "I look.",
          calls: [words.shell("echo ☕"), words.read("a.txt")],
        },
        { reasoning: "Fine.", text: "It is there." },
        { reasoning: "Once more.", calls: [words.edit("a.txt", "alpha", "beta")] },
        { reasoning: "Good.", text: "It is changed." },
      ],
      { reasoning: "low", files: { "a.txt": "alpha\n" } },
    );
    expect(await stage.ask("Look")).toEqual(completed("It is there.", { rounds: 2, calls: 2 }));
    await stage.reopen();
    expect(await stage.ask("Change it")).toEqual(
      completed("It is changed.", { turn: 2, rounds: 2, calls: 1 }),
    );
    expect(stage.file("a.txt")).toBe("beta\n");
  });
});

describeSides("session", (side) => {
  it("continues after it was stopped in the middle of a turn", async () => {
    const stage = await openStage(side, (words) => ({ messages }) => {
      if (messages.at(-1)!.text.endsWith("And now?")) return { text: "Now I am here." };
      setTimeout(() => void stage.session.abort(), 100);
      return { reasoning: "This takes long.", text: "Wait.", calls: [words.shell("sleep 3000")] };
    });
    expect(await stage.ask("Work").then(({ outcome }) => outcome)).toBe("aborted");
    await stage.reopen();
    expect(await stage.ask("And now?")).toEqual(
      completed("Now I am here.", { turn: 2, rounds: 1, calls: 0 }),
    );
  });
});
