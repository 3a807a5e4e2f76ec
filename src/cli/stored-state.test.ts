import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { cliWorkspace } from "../../test/support/cli-workspace.ts";

it("lists what is stored, and deletes it for one workspace or for all", async () => {
  await using fixture = cliWorkspace();
  const write = (folder: string) =>
    fixture.run("call", "file.write", "--path", "a.txt", "--content", "a", "-C", folder);
  const other = join(fixture.workspace, "other");
  mkdirSync(other);
  await write(fixture.workspace);
  await write(other);
  const list = async () => JSON.parse((await fixture.run("state", "list", "--json")).stdout);
  const workspaces = async () =>
    (await list()).map(({ workspace }: { workspace: string }) => workspace).sort();
  expect(await workspaces()).toEqual([fixture.workspace, other]);
  const [stored] = await list();
  expect(stored).toMatchObject({ isOpen: false, bytes: expect.any(Number), usedAt: expect.any(Number) });

  const unasked = await fixture.run("state", "delete", "-C", other);
  expect([unasked.exit, unasked.stderr]).toEqual([4, expect.stringContaining("toolcrib state delete --yes")]);
  const deleted = await fixture.run("state", "delete", "-C", other, "--yes");
  expect([deleted.exit, deleted.stderr]).toEqual([
    0,
    expect.stringMatching(/^Deleted what is stored about .*other \(.*\)\.\n$/),
  ]);
  expect([await workspaces(), existsSync(join(other, "a.txt"))]).toEqual([[fixture.workspace], true]);

  await fixture.run("state", "delete", "--all", "--yes");
  expect(await workspaces()).toEqual([]);
  const empty = await fixture.run("state", "delete", "--yes");
  expect([empty.exit, empty.stderr]).toEqual([0, "Nothing is stored.\n"]);
});
