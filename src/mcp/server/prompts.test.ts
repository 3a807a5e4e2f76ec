import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { clientFixture, eras } from "../../../test/support/mcp/client-fixture.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";

const files = {
  ".claude/commands/fix.md":
    "---\ndescription: Fix an issue\nargument-hint: [issue] [low|high]\n---\nFix $1 with priority $2.",
  ".claude/commands/explain.md": "Explain $ARGUMENTS.",
  ".agents/skills/release/SKILL.md": "---\ndescription: How to release\n---\nRun the checks.",
  ".agents/skills/fix/SKILL.md": "---\ndescription: Hidden by the command\n---\nNo.",
};

describe.each(eras)("a client with %s", (era) => {
  it("gets commands and skills as prompts, with arguments and completion", async () => {
    await using user = temporaryFolder();
    mkdirSync(join(user.path, "commands"));
    writeFileSync(join(user.path, "commands/mine.md"), "Do what I like.");
    await using fixture = await clientFixture({ era, files, prompts: { configDirectory: user.path } });
    const { client } = fixture;
    const { prompts } = await client.listPrompts();
    expect(
      prompts.map(({ name, description, arguments: given }) => [
        name,
        description,
        given?.map((each) => each.name),
      ]),
    ).toEqual([
      ["explain", "Explain $ARGUMENTS.", ["arguments"]],
      ["fix", "Fix an issue", ["issue", "argument_2"]],
      ["mine", "Do what I like.", ["arguments"]],
      ["release", "How to release", ["arguments"]],
    ]);
    const text = async (name: string, given?: Record<string, string>) => {
      const { messages } = await client.getPrompt({ name, ...(given && { arguments: given }) });
      return messages.map(({ role, content }) => [role, content.type === "text" && content.text]);
    };
    // An argument is never read as a placeholder or as two words.
    expect(await text("fix", { issue: `the $2 "bug"`, argument_2: "high" })).toEqual([
      ["user", `Fix the $2 "bug" with priority high.`],
    ]);
    expect(await text("explain", { arguments: "a.ts" })).toEqual([["user", "Explain a.ts."]]);
    expect(await text("release", { arguments: "2.0" })).toEqual([["user", "Run the checks.\n\n2.0"]]);
    const { completion } = await client.complete({
      ref: { type: "ref/prompt", name: "fix" },
      argument: { name: "argument_2", value: "h" },
    });
    expect(completion.values).toEqual(["high"]);
    await expect(text("none")).rejects.toThrow('There is no prompt "none"');
    await expect(text("fix", { other: "x" })).rejects.toThrow(
      'The prompt fix has no argument "other", only: issue, argument_2',
    );
  });
});

it("reads no file outside the workspace through a link of the project, and no secret", async () => {
  await using outside = temporaryFolder();
  writeFileSync(join(outside.path, "secret.md"), "only outside");
  await using fixture = await clientFixture({
    files: { ".env": "KEY=1" },
    prompts: { configDirectory: outside.path },
  });
  const folder = join(fixture.workspace, ".claude/commands");
  mkdirSync(folder, { recursive: true });
  symlinkSync(join(outside.path, "secret.md"), join(folder, "stolen.md"));
  symlinkSync("../../.env", join(folder, "env.md"));
  expect((await fixture.client.listPrompts()).prompts).toEqual([]);
});

it("offers no prompts in a program that does not ask for them", async () => {
  await using fixture = await clientFixture({ files });
  expect(fixture.client.getServerCapabilities()?.prompts).toBeUndefined();
});
