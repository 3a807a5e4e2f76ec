/** @module-tag slow */
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { openToolcrib } from "./index.ts";

/** A repository in which the user refuses everything; `write` returns the error code and the rule that asked. */
async function openRepository() {
  const folder = temporaryFolder();
  const workspace = join(folder.path, "work space");
  mkdirSync(workspace);
  const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: workspace, stdio: "pipe" });
  git("init", "-q");
  const toolcrib = await openToolcrib({
    workspace,
    stateDirectory: join(folder.path, "state"),
    configDirectory: join(folder.path, "config"),
    approve: () => ({ allow: false }),
  });
  return {
    workspace,
    git,
    write: async (path: string) => {
      const { error } = await toolcrib.call("file.write", { path, content: "x\n" });
      return error?.code;
    },
    replace: async (path: string) => {
      const { error } = await toolcrib.call("edit.replace", { path, find: "old", replace: "new" });
      return error?.code;
    },
    [Symbol.asyncDispose]: async () => {
      await toolcrib.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

it("file tools ask before they write what git settings point to, also settings that change meanwhile", async () => {
  await using room = await openRepository();
  const { workspace, git, write } = room;
  expect([await write("my hooks/pre-commit"), await write("free")]).toEqual([undefined, undefined]);
  mkdirSync(join(workspace, "tools"));
  for (const file of ["tools/clean.sh", "tools/linked.sh"]) writeFileSync(join(workspace, file), "old\n");
  symlinkSync("../../tools/linked.sh", join(workspace, ".git/hooks/post-commit"));
  git("config", "core.hooksPath", "my hooks");
  git("config", "include.path", "../shared.gitconfig");
  git("config", "filter.x.clean", "sh tools/clean.sh");
  expect([
    await write("my hooks/pre-commit"),
    await write("shared.gitconfig"),
    await room.replace("tools/clean.sh"),
    await room.replace("tools/linked.sh"),
    await write("free"),
  ]).toEqual(["denied", "denied", "denied", "denied", undefined]);
});

it("file tools ask before they write settings that agents and editors obey", async () => {
  await using room = await openRepository();
  const settings = [
    ...[".zed/settings.json", "opencode.json", "opencode.jsonc", ".opencode/plugin/x.js", "sub/.opencode/x"],
    ...[
      ".windsurf/hooks.json",
      ".roo/mcp.json",
      ".kiro/hooks/x",
      ".circleci/config.yml",
      ".cargo/config.toml",
    ],
    ...[
      ".clinerules/hooks/x",
      ".github/hooks/x.json",
      "my.code-workspace",
      "lefthook.yml",
      ".qwen/settings.json",
    ],
    ...[
      ".git/rebase-merge/git-rebase-todo",
      ".codex/config.toml",
      ".cursor/mcp.json",
      ".gemini/settings.json",
    ],
  ];
  const codes: (string | undefined)[] = [];
  for (const path of settings) codes.push(await room.write(path));
  expect(codes).toEqual(settings.map(() => "denied"));
});
