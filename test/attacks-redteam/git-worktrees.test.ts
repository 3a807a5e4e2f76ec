/** @module-tag slow */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openGitFixture } from "../support/git-tools/git-fixture.ts";

it("does not confuse linked work trees, and changes none that a sandbox would hide", async () => {
  await using fixture = await openGitFixture({ files: { a: "1\n" }, sandbox: "auto" });
  const main = join(fixture.home, "main");
  fixture.git("clone", "-q", fixture.workspace, main);
  fixture.git("-C", main, "worktree", "add", "-q", join(fixture.workspace, "own"));
  fixture.git("-C", main, "worktree", "add", "-q", join(fixture.home, "other"));
  fixture.write({ "own/new": "new\n" });
  const codeOf = async (tool: string, input: object) => (await fixture.call(tool, input)).error?.code;
  const { level } = await fixture.crib.sandbox();
  const own = [
    await codeOf("git.status", { path: "own" }),
    await codeOf("git.stage", { paths: ["own/new"] }),
  ];
  writeFileSync(join(fixture.workspace, "own/.git"), `gitdir: ${main}/.git/worktrees/other\n`);
  const others = [
    await codeOf("git.status", { path: "own" }),
    await codeOf("git.diff", { staged: true, paths: ["own"] }),
    await codeOf("git.stage", { paths: ["own/new"] }),
  ];
  expect([own, others]).toEqual([
    [undefined, level === "none" ? undefined : "outside-workspace"],
    ["outside-workspace", "outside-workspace", "outside-workspace"],
  ]);
});
