import { expect, it } from "vitest";
import { describeSides } from "./sides.ts";
import { completed, openStage } from "./stage.ts";

describeSides("tools", (side) => {
  it("gives part of the task to another agent, and gets its result", async () => {
    const stage = await openStage(side, (words) => ({ messages }) => {
      const [asked] = messages;
      const isChild = asked!.text.includes("Write the poem");
      const answered = messages.filter(({ role }) => role !== "assistant").length - 1;
      if (isChild)
        return answered === 0
          ? { calls: [words.create("poem.txt", "Roses are red\n")] }
          : { text: "The poem is in poem.txt." };
      if (answered === 0) return { calls: [words.spawn("Write the poem into poem.txt")] };
      return answered === 1 ? { calls: [words.hearAgent()] } : { text: "There is a poem." };
    });
    expect(await stage.ask("A poem, please")).toEqual(completed("There is a poem.", { rounds: 3, calls: 2 }));
    const spoken = stage.events.flatMap((event) =>
      event.type === "text-end" ? [[event.agent, event.text]] : [],
    );
    expect([stage.file("poem.txt"), stage.answers()[1], spoken]).toEqual([
      "Roses are red\n",
      expect.stringContaining("The poem is in poem.txt."),
      [
        ["agent_1", "The poem is in poem.txt."],
        [undefined, "There is a poem."],
      ],
    ]);
  });
});
