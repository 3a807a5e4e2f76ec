import { expect, it } from "vitest";
import { cliWorkspace } from "../../../test/support/cli-workspace.ts";

it("toolcrib target refuses wrong actions, and names that programs would read as options", async () => {
  await using fixture = cliWorkspace();
  const run = async (...words: string[]) => {
    const { exit, stderr } = await fixture.run("target", ...words);
    return [exit, stderr.split("\n")[0]];
  };
  const needs = "`toolcrib target` needs an action and a target";
  expect([
    await run(),
    await run("list"),
    await run("remove", "ssh:host"),
    await run("list", "ssh:-oProxyCommand=id"),
    await run("clean", "ssh:host", "more"),
    await run("stop", "ssh:host", "123"),
    await run("list", "local"),
  ]).toEqual([
    [2, expect.stringContaining(needs)],
    [2, expect.stringContaining(needs)],
    [2, expect.stringContaining(needs)],
    [2, expect.stringContaining('begins with "-"')],
    [2, expect.stringContaining("Unexpected argument: more")],
    [2, expect.stringContaining("123 is not the id of a server")],
    [2, expect.stringContaining("local is your machine, not a target")],
  ]);
});
