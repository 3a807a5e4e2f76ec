import { expect, it } from "vitest";
import { Screen } from "./screen.ts";

it("writes nothing over an open question", async () => {
  const written: string[] = [];
  const write = (text: string) => void written.push(text);
  const outputs = { print: write, remark: write, isWatched: true, canRedraw: false, columns: () => 80 };
  const screen = new Screen(outputs);
  screen.print("Let me see");
  const answer = await screen.whileAsking(async () => {
    write("Allow it? ");
    screen.showLine("agent_1  file.read a");
    screen.print("All is well");
    write("y\n");
    return "yes";
  });
  screen.showLine("done");
  expect([answer, written.join("")]).toEqual([
    "yes",
    "Let me see\nAllow it? y\nagent_1  file.read a\nAll is well\ndone\n",
  ]);
});
