import { expect, it } from "vitest";
import { describeSides } from "./sides.ts";
import { completed, openStage } from "./stage.ts";

describeSides("tools", (side) => {
  it("creates a file", async () => {
    const poem = "Roses are red,\nGrüße are blue 🌹\n";
    const stage = await openStage(side, (words) => [
      { text: "I write it.", calls: [words.create("poem.txt", poem)] },
      { text: "It is written." },
    ]);
    expect(await stage.ask("Write a poem")).toEqual(completed("It is written.", { rounds: 2, calls: 1 }));
    expect(stage.file("poem.txt")).toBe(poem);
  });

  it("reads, then edits", async () => {
    const stage = await openStage(
      side,
      (words) => [
        { reasoning: "Look first.", calls: [words.read("poem.txt")] },
        { reasoning: "Now mend it.", calls: [words.edit("poem.txt", "a blue wood", "a yellow wood")] },
        { text: "The wood is yellow." },
      ],
      { files: { "poem.txt": "Two roads diverged in\na blue wood\n" } },
    );
    const outcome = await stage.ask("Mend the poem");
    expect(outcome).toEqual(completed("The wood is yellow.", { rounds: 3, calls: 2 }));
    expect(stage.answers()[0]).toContain("a blue wood");
    expect(stage.file("poem.txt")).toBe("Two roads diverged in\na yellow wood\n");
  });

  it("edits several files with its own tools", async () => {
    const files = { "one.txt": "first\nold\n", "two.txt": "old too\nlast\n" };
    const changes = [
      { path: "one.txt", find: "old", replace: "new" },
      { path: "two.txt", find: "old too", replace: "new too" },
    ];
    const calls: number[] = [];
    const stage = await openStage(
      side,
      (words) => {
        const edits = words.editMany(changes);
        calls.push(edits.length);
        return [
          { calls: [words.read("one.txt"), words.read("two.txt")] },
          { text: "Both at once.", calls: edits },
          { text: "Both are new." },
        ];
      },
      { files },
    );
    const outcome = await stage.ask("Renew them");
    expect(outcome).toEqual(completed("Both are new.", { rounds: 3, calls: 2 + calls[0]! }));
    expect([stage.file("one.txt"), stage.file("two.txt")]).toEqual(["first\nnew\n", "new too\nlast\n"]);
  });

  it("finds by content and by name", async () => {
    const files = { "apple.txt": "needle in here\n", "pear.txt": "nothing\n", "plum.md": "needle too\n" };
    const stage = await openStage(
      side,
      (words) => [{ calls: [words.grep("needle"), words.glob("*.txt")] }, { text: "Found." }],
      { files },
    );
    expect(await stage.ask("Look for it")).toEqual(completed("Found.", { rounds: 2, calls: 2 }));
    const [matches = "", names = ""] = stage.answers();
    const found = (text: string) =>
      ["apple.txt", "pear.txt", "plum.md"].filter((name) => text.includes(name));
    expect([found(matches), found(names)]).toEqual([
      ["apple.txt", "plum.md"],
      ["apple.txt", "pear.txt"],
    ]);
  });

  it("takes many steps, each based on the last result", { tags: "slow" }, async () => {
    const fruits = ["apple", "pear", "plum"];
    const stage = await openStage(side, (words) => ({ messages }) => {
      const mentioned = fruits.filter((fruit) => messages.at(-1)!.text.includes(fruit));
      if (mentioned.length === 3) return { text: `Bought ${mentioned.join(", ")}.` };
      const hasWritten = messages.length > 1 && mentioned.length === 0;
      if (hasWritten) return { reasoning: "What is there now?", calls: [words.read("list.txt")] };
      return { calls: [words.shell(`echo ${fruits[mentioned.length]} >> list.txt`)] };
    });
    const outcome = await stage.ask("Go shopping");
    expect(outcome).toEqual(completed("Bought apple, pear, plum.", { rounds: 7, calls: 6 }));
    expect(stage.file("list.txt")).toBe("apple\npear\nplum\n");
  });
});
