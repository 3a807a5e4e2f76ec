import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { cliWorkspace } from "../../test/support/cli-workspace.ts";
import { openToolcrib } from "../toolcrib/index.ts";

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

it("keeps what a read-only instance uses, and says which process that is", async () => {
  await using fixture = cliWorkspace();
  writeFileSync(join(fixture.workspace, "a.txt"), "a\n");
  await fixture.run("call", "file.read", "--path", "a.txt");
  const [{ folder }] = JSON.parse((await fixture.run("state", "list", "--json")).stdout);
  {
    await using crib = await openToolcrib({
      workspace: fixture.workspace,
      stateDirectory: join(folder, "../.."),
      configDirectory: join(fixture.workspace, "../config"),
      readOnly: true,
    });
    crib.log();
    const refused = await fixture.run("state", "delete", "--yes");
    expect([refused.exit, refused.stderr]).toEqual([
      expect.any(Number),
      expect.stringMatching(new RegExp(`is not deleted: process ${process.pid} \\(.*\\) uses it`)),
    ]);
    const all = await fixture.run("state", "delete", "--all", "--yes");
    expect(all.stderr).toContain(`: process ${process.pid} (`);
    expect(existsSync(folder)).toBe(true);
  }
  await fixture.run("state", "delete", "--yes");
  expect(existsSync(folder)).toBe(false);
});

it("lists a damaged journal on one line, leaves it as it is, and can delete it", async () => {
  await using fixture = cliWorkspace();
  await fixture.run("call", "file.write", "--path", "a.txt", "--content", "a");
  const [{ folder }] = JSON.parse((await fixture.run("state", "list", "--json")).stdout);
  const file = join(folder, "journal.sqlite");
  for (const ending of ["-wal", "-shm"]) rmSync(file + ending, { force: true });
  writeFileSync(file, "damaged ".repeat(10_000));
  const listed = await fixture.run("state");
  expect([listed.exit, listed.stdout.split("\n").length]).toEqual([0, 2]);
  expect(listed.stdout).toContain("damaged: ");
  expect(readFileSync(file, "utf8")).toContain("damaged damaged");
  await fixture.run("state", "delete", "--all", "--yes");
  expect(existsSync(folder)).toBe(false);
});
