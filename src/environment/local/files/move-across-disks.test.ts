import { chmodSync, lstatSync, readdirSync, readFileSync, readlinkSync, utimesSync } from "node:fs";
import { expect, it } from "vitest";
import { PathChecker } from "../../../system/path-checker.ts";
import { PortablePinning } from "../../../system/pinning.ts";
import { openLocalWorld } from "../../conformance/local-world.ts";
import { contentOf } from "../../conformance/world.ts";
import { locateEntry, locateExisting } from "./locate-entry.ts";
import { moveAcrossDisks } from "./move-entry.ts";

function moving(
  workspace: string,
  from: string,
  to: string,
  ifExists: "replace" | "refuse",
  signal?: AbortSignal,
): Promise<void> {
  const pinning = new PortablePinning(workspace, new PathChecker(workspace, undefined));
  const source = locateExisting(pinning, `${workspace}/${from}`, { followLinks: false, givenPath: from });
  const target = locateEntry(pinning, `${workspace}/${to}`, { followLinks: false });
  return moveAcrossDisks(source, target, ifExists, signal);
}

it("copies a file with its mode and time, then deletes it", async () => {
  const content = Buffer.alloc(3_000_000, "0123456789");
  await using world = openLocalWorld({ files: { "a/file": content, "b/file": "old" } });
  chmodSync(world.path("a/file"), 0o751);
  utimesSync(world.path("a/file"), 1000, 2000);
  await moving(world.environment.workspace, "a/file", "b/file", "replace");
  const { mode, mtimeMs } = lstatSync(world.path("b/file"));
  expect([mode & 0o777, mtimeMs]).toEqual([0o751, 2_000_000]);
  expect(readFileSync(world.path("b/file")).equals(content)).toBe(true);
  expect([readdirSync(world.path("a")), readdirSync(world.path("b"))]).toEqual([[], ["file"]]);
});

it("creates a new link to the same target", async () => {
  await using world = openLocalWorld({ files: { "a/file": "", "b/file": "" } });
  world.link("a/link", "../nowhere");
  await moving(world.environment.workspace, "a/link", "b/link", "refuse");
  expect(readlinkSync(world.path("b/link"))).toBe("../nowhere");
  expect(readdirSync(world.path("a"))).toEqual(["file"]);
  await moving(world.environment.workspace, "b/link", "b/file", "replace");
  expect([readlinkSync(world.path("b/file")), readdirSync(world.path("b"))]).toEqual([
    "../nowhere",
    ["file"],
  ]);
});

it("changes nothing when it is cancelled before the copy is renamed", async () => {
  await using world = openLocalWorld({ files: { "a/file": "mine", "b/file": "theirs" } });
  const controller = new AbortController();
  const { workspace } = world.environment;
  const moved = moving(workspace, "a/file", "b/file", "replace", controller.signal);
  controller.abort();
  await expect(moved).rejects.toMatchObject({ code: "cancelled" });
  expect(await contentOf(world.environment)).toEqual({
    a: "(directory)",
    "a/file": "mine",
    b: "(directory)",
    "b/file": "theirs",
  });
});

it("changes nothing when the name is taken, or for a directory", async () => {
  await using world = openLocalWorld({ files: { "a/file": "mine", "b/file": "theirs" } });
  world.link("a/link", "file");
  const { workspace } = world.environment;
  await expect(moving(workspace, "a/file", "b/file", "refuse")).rejects.toMatchObject({ code: "EEXIST" });
  await expect(moving(workspace, "a/link", "b/file", "refuse")).rejects.toMatchObject({ code: "EEXIST" });
  await expect(moving(workspace, "a", "c", "refuse")).rejects.toMatchObject({ code: "EXDEV" });
  expect(readdirSync(workspace, { recursive: true }).toSorted()).toEqual([
    "a",
    "a/file",
    "a/link",
    "b",
    "b/file",
  ]);
  expect(readFileSync(world.path("b/file"), "utf8")).toBe("theirs");
});
