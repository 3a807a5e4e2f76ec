import fs, { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { beforeLook } from "../../../../test/support/environment/before-look.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { Placeholders } from "../../../sandbox/bubblewrap/placeholders.ts";
import { recordFolders } from "../../../sandbox/restore-abandoned.ts";
import { openLocalWorld } from "../../conformance/local-world.ts";

const isLinux = process.platform === "linux";

/** A workspace and the folder with the records of its placeholders. */
function openWorld(directory: string, files: Readonly<Record<string, string>>) {
  const world = openLocalWorld({ files }, { sandbox: { want: "none", directory } });
  const records = recordFolders(directory).placeholders;
  mkdirSync(records, { recursive: true });
  /** Records placeholders as a process does that has ended, so that any process may remove them. */
  const record = (name: string, paths: readonly string[]) => {
    const placeholders = paths.map((path) => ({ path: world.path(path), kind: "directory" }));
    writeFileSync(join(records, `1-1-00000000-1.${name}`), JSON.stringify(placeholders));
  };
  return { world, record, stubs: new Placeholders(records) };
}

it.skipIf(!isLinux)("contains no placeholder that came and went while the snapshot was taken", async () => {
  await using folder = temporaryFolder();
  const { world, record, stubs } = openWorld(folder.path, { "sub/a": "a", ".gitignore": ".zed\n" });
  await using opened = world;
  const names = [".claude", ".zed", ".git", ".github", ".github/workflows"];
  const restore = beforeLook({
    [opened.environment.workspace]: () => {
      record("0", names);
      for (const name of names) mkdirSync(opened.path(name));
    },
    // The entries of the top were seen by now.
    [opened.path("sub/a")]: () => void stubs.removeAbandoned(),
  });
  const listed = await opened.environment.listEntries!().finally(restore);
  expect([fs.existsSync(opened.path(".claude")), fs.readdirSync(folder.path)]).toEqual([false, ["stubs"]]);
  expect([...listed.entries.keys()].sort()).toEqual([".gitignore", "sub", "sub/a"]);
  expect([listed.leftOut.size, listed.repositories]).toEqual([0, []]);
});

it.skipIf(!isLinux)(
  "contains entries with content at the path of a placeholder, whenever they vanish",
  async () => {
    await using folder = temporaryFolder();
    const { world, record } = openWorld(folder.path, {
      ".claude/settings.json": "{}",
      ".roo/a/b": "b",
      z: "",
    });
    await using opened = world;
    mkdirSync(opened.path(".zed"));
    record("0", [".claude", ".roo", ".roo/a", ".zed"]);
    const remove = () => rmSync(opened.path(".claude"), { recursive: true });
    const restore = beforeLook({ [opened.path(".roo/a/b")]: remove });
    const { entries } = await opened.environment.listEntries!().finally(restore);
    const paths = [...entries.keys()];
    expect(paths).toEqual(expect.arrayContaining([".claude", ".roo", ".roo/a", ".roo/a/b", "z"]));
    expect(paths).not.toContain(".zed");
    expect(entries.get(".roo/a/b")!.size).toBe(1);
  },
);
