import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { cliWithModel } from "../../../test/support/cli-with-model.ts";
import { expandCommand } from "../../config/commands.ts";

const echo = () => cliWithModel(({ messages }) => ({ text: `Got: ${messages.at(-1)!.text}` }));

it("inserts the arguments once, and never runs anything of the file", () => {
  const expand = (body: string, given = "") =>
    expandCommand({ name: "x", description: "", takes: "", path: "", from: "project", body }, given);
  expect(expand("Fix $1 in $2, all: $ARGUMENTS.", "'a b' $1 c")).toBe("Fix a b in $1, all: 'a b' $1 c.");
  expect(expand("Costs $10, $ARGUMENTSX and $3.", "one")).toBe("Costs $10, $ARGUMENTSX and .");
  expect(expand("Review it.", "src")).toBe("Review it.\n\nsrc");
  expect(expand("!`touch made` \u001b[2J\u202e")).toBe("!`touch made` <U+001B>[2J<U+202E>");
});

it("sends a command of the project or the user, in chat and in run", { tags: "slow" }, async () => {
  await using fixture = await echo();
  fixture.write(
    ".claude/commands/fix.md",
    "---\ndescription: Fix an issue\nargument-hint: [issue]\n---\nFix issue $1.\n",
  );
  fixture.write(".toolcrib/commands/mode.md", "Never reached.");
  fixture.write(join(fixture.home, "config/commands/mine.md"), "My own.");
  const run = await fixture.run("run", "/fix 12");
  expect(run.stdout).toBe("Got: Fix issue 12.\n");
  const chat = await fixture.feed("/mine\n/commands\n/skills\n/mode\n/nothing\n", "chat");
  expect(chat.stdout).toBe("Got: My own.\n");
  expect(chat.stderr).toMatch(/\/fix issue +Fix an issue +project/);
  expect(chat.stderr).toContain("There are no skills.");
  expect(chat.stderr).toContain("The mode is cautious.");
  expect(chat.stderr).toContain("Unknown command: /nothing");
  expect((await fixture.run("run", "/usr/bin/x is broken")).stdout).toBe("Got: /usr/bin/x is broken\n");
});

it("reads no command through a link out of the workspace or to a secret, and names it", async () => {
  await using fixture = await echo();
  fixture.write(join(fixture.home, "../outside.md"), "Outside.");
  fixture.write(".env", "KEY=hidden");
  fixture.write(".claude/commands/good.md", "Good.");
  symlinkSync(join(fixture.home, "../outside.md"), join(fixture.workspace, ".claude/commands/out.md"));
  symlinkSync("../../.env", join(fixture.workspace, ".claude/commands/env.md"));
  const { stdout, stderr } = await fixture.feed("/good\n/out\n/env\n", "chat");
  expect(stdout).toBe("Got: Good.\n");
  expect(stderr).toMatch(/commands\/out\.md was not read/);
  expect(stderr).toMatch(/commands\/env\.md was not read/);
  expect(JSON.stringify(fixture.server.requests)).not.toMatch(/KEY=hidden|Outside/);
});

it("sends prompts and resources of MCP servers that rules allow", { tags: "slow" }, async () => {
  await using fixture = await echo();
  const program = join(import.meta.dirname, "../../../test/support/mcp/offering-server.ts");
  const docs = { command: process.execPath, args: [program, "docs"] };
  fixture.write(join(fixture.home, "config/mcp.json"), JSON.stringify({ mcpServers: { docs } }));
  const allowing = ["--rule", "allow use prompts/get of docs", "--rule", "allow use resources/read of docs"];
  const input = "/mcp__docs__review 'a b.ts' c\nSee @docs:doc://page/7 and @none:doc://x.\n";
  const { stdout } = await fixture.feed(input, "chat", ...allowing);
  expect(stdout).toContain("Got: The prompt review of the MCP server docs:\n\nReview a b.ts c.");
  expect(stdout).toContain(
    '<file path="docs:doc://page/7">\n[resource doc://page/7]\ndoc://page/7 undefined\n</file>',
  );
  const refused = await fixture.run("run", "/mcp__docs__review a.ts");
  expect([refused.stdout, refused.stderr]).toEqual(["", expect.stringContaining("needs approval")]);
});
