import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { commandTarget } from "../../../test/support/remote/command-target.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { temporaryToolcrib } from "../../../test/support/temporary-toolcrib.ts";
import { openToolcrib } from "../../toolcrib/index.ts";

it("file tools ask before they make a directory a repository that git obeys", { tags: "slow" }, async () => {
  await using opened = await temporaryToolcrib({ mode: "cautious" });
  const { crib, at, write } = opened;
  mkdirSync(at("lib/objects"), { recursive: true });
  mkdirSync(at("lib/refs"));
  const written = async (path: string, content = "x\n") =>
    (await crib.call("file.write", { path, content })).error?.code ?? "written";
  const before = [
    await written("lib/config", "[core]\n\tfsmonitor = touch ran\n"),
    await written("lib/HEAD", "ref: refs/heads/main\n"),
    await written("src/commondir", "../.cache/s\n"),
    await written("src/head.ts"),
  ];
  write("lib/HEAD", "ref: refs/heads/main\n");
  const beside = [
    await written("lib/config", "[core]\n\tfsmonitor = touch ran\n"),
    await written("lib/hooks/post-index-change"),
    await written("lib/description"),
  ];
  const moved = await crib.call("file.move", { from: "src/head.ts", to: "src/HEAD" });
  expect([before, beside, moved.error?.code]).toEqual([
    ["written", "needs-approval", "needs-approval", "written"],
    ["needs-approval", "needs-approval", "written"],
    "needs-approval",
  ]);
});

it("file tools ask by the name alone on a target", { tags: "slow" }, async () => {
  await using there = commandTarget('cd "$HOME/../workspace"');
  await using folder = temporaryFolder();
  await using crib = await openToolcrib({
    ...{ target: there.target.name, sandbox: "none", mode: "cautious" },
    ...{ stateDirectory: join(folder.path, "state"), configDirectory: join(folder.path, "config") },
  });
  const written = async (path: string) =>
    (await crib.call("file.write", { path, content: "x\n" })).error?.code ?? "written";
  const outcomes = [await written("lib/HEAD"), await written("lib/commondir"), await written("lib/config")];
  expect(outcomes).toEqual(["needs-approval", "needs-approval", "written"]);
});

it("rules of the user allow it, and mode yolo", async () => {
  await using ruled = await temporaryToolcrib({ rules: ["allow write fixtures/**"] });
  await using free = await temporaryToolcrib({ mode: "yolo" });
  const inFixtures = await ruled.crib.call("file.write", { path: "fixtures/HEAD", content: "x" });
  const anywhere = await free.crib.call("file.write", { path: "HEAD", content: "x" });
  expect([inFixtures.isError, anywhere.isError]).toEqual([false, false]);
});

it("git obeys such directories", async () => {
  await using opened = await temporaryToolcrib();
  const { at, write } = opened;
  for (const path of ["lib/objects", "lib/refs", "src"]) mkdirSync(at(path), { recursive: true });
  write("lib/HEAD", "ref: refs/heads/main\n");
  write("src/HEAD", "ref: refs/heads/main\n");
  write("src/commondir", "../lib\n");
  const found = (path: string) =>
    execFileSync("git", ["-C", at(path), "rev-parse", "--git-dir"], { encoding: "utf8" }).trim();
  expect([found("lib"), found("src"), existsSync(at(".git"))]).toEqual([".", ".", false]);
});
