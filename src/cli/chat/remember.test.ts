import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { cliWithModel } from "../../../test/support/cli-with-model.ts";
import { hasTerminals } from "../../../test/support/pseudo-terminal.ts";

const echo = () => cliWithModel(({ messages }) => ({ text: `Got: ${messages.at(-1)!.text}` }));

if (!hasTerminals) it.skip("/remember on a terminal (skipped: `script` of util-linux is missing)", () => {});
it.runIf(hasTerminals)(
  "appends to AGENTS.md after the user has seen the diff, and /undo reverts it",
  { tags: "slow" },
  async () => {
    await using fixture = await echo();
    fixture.write("AGENTS.md", "# Notes\n- Old.");
    const { exit, screen } = await fixture.onTerminal(
      ["chat", "--plain"],
      [
        ["> ", "/remember Use tabs.\r"],
        ["+- Use tabs.", ""],
        ["[y]es", "y\n"],
        ["Added to AGENTS.md", ""],
        ["> ", "/remember Not this.\r"],
        ["+- Not this.", ""],
        ["[y]es", "n\n"],
        ["Refused", ""],
        ["> ", "hello\r"],
        ["Got: ", ""],
        ["> ", "\u0004"],
      ],
      { TERM: "dumb" },
    );
    expect([exit, fixture.read("AGENTS.md")]).toEqual([0, "# Notes\n- Old.\n- Use tabs.\n"]);
    expect(screen).toContain("/remember changes the instructions of the project");
    expect(JSON.stringify(fixture.server.requests[0])).toContain(
      "The user added this to AGENTS.md: Use tabs.",
    );
    await fixture.run("undo");
    expect(fixture.read("AGENTS.md")).toBe("# Notes\n- Old.");
  },
);

it("changes nothing where the user cannot be asked, or without a text", async () => {
  await using fixture = await echo();
  const { stderr } = await fixture.feed("/remember Use tabs.\n/remember\n", "chat", "--mode", "yolo");
  expect(stderr).toContain("This call needs approval");
  expect(stderr).toContain("/remember needs a text");
  expect(existsSync(join(fixture.workspace, "AGENTS.md"))).toBe(false);
});
