import { expect, it } from "vitest";
import { cliWorkspace } from "../../test/support/cli-workspace.ts";
import { hasTerminals } from "../../test/support/pseudo-terminal.ts";

const path = "odd\u001b[2J/.env";

if (!hasTerminals) it.skip("on a terminal (skipped: `script` of util-linux is missing)", () => {});

it.runIf(hasTerminals)("makes control characters in a hint visible on a terminal", async () => {
  await using workspace = cliWorkspace();
  workspace.write(path, "KEY=1\n");
  const { screen } = await workspace.onTerminal(["call", "file.read", "--path", path], []);
  expect(screen).toMatch(/--rule .*odd<U\+001B>\[2J\/\.env/);
  expect(screen).not.toContain("\u001b[2J");
});

it("passes the bytes of a hint unchanged to a program", async () => {
  await using workspace = cliWorkspace();
  workspace.write(path, "KEY=1\n");
  const { stderr } = await workspace.run("call", "file.read", "--path", path);
  expect(stderr.split("--rule")[1]).toContain(path);
});
