import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { gitTargetsOf } from "./git-targets.ts";

function openRepository() {
  const folder = temporaryFolder();
  const workspace = join(folder.path, "work space");
  mkdirSync(workspace);
  const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: workspace, stdio: "pipe" });
  git("init", "-q");
  const put = (path: string, text = "") => {
    mkdirSync(dirname(join(workspace, path)), { recursive: true });
    writeFileSync(join(workspace, path), text);
  };
  const targets = () =>
    gitTargetsOf(workspace)
      .targets.map(({ path, kind }) => `${path.slice(workspace.length + 1)} ${kind}`)
      .sort();
  return { ...folder, workspace, git, put, targets, at: (path: string) => join(workspace, path) };
}

it("finds hooks, included settings and programs that settings name", async () => {
  await using room = openRepository();
  const { git, put } = room;
  put("tools/clean.js");
  put("more.gitconfig", '[filter "y"]\n\tsmudge = ./tools/smudge.sh\n[include]\n\tpath = deep/other\n');
  git("config", "core.hooksPath", "my hooks");
  git("config", "include.path", "../more.gitconfig");
  git("config", "filter.x.clean", "node tools/clean.js %f");
  git("config", "diff.x.textconv", `'${room.at("tools/not there")}'`);
  git("config", "alias.up", "!./scripts/up.sh origin/main");
  git("config", "alias.st", "status src/");
  git("config", "core.pager", "less");
  git("config", "remote.origin.url", "./up/stream");
  git("config", "core.editor", "code --wait");
  put("code");
  expect(room.targets()).toEqual([
    "deep/other file",
    "more.gitconfig file",
    "my hooks directory",
    "scripts/up.sh file",
    "tools/clean.js file",
    "tools/not there file",
    "tools/smudge.sh file",
  ]);
});

it("finds scripts that hooks are links to", async () => {
  await using room = openRepository();
  room.put("scripts/check.sh");
  room.put("own/pre-push");
  mkdirSync(room.at(".git/hooks"), { recursive: true });
  symlinkSync("../../scripts/check.sh", room.at(".git/hooks/pre-commit"));
  expect(room.targets()).toEqual(["scripts/check.sh file"]);
});

it("finds what the settings of the user name in every repository", async () => {
  await using room = openRepository();
  const settings = join(room.path, "user.gitconfig");
  writeFileSync(settings, "[core]\n\thooksPath = .githooks\n");
  const before = process.env.GIT_CONFIG_GLOBAL;
  process.env.GIT_CONFIG_GLOBAL = settings;
  try {
    expect(room.targets()).toEqual([".githooks directory"]);
  } finally {
    if (before === undefined) delete process.env.GIT_CONFIG_GLOBAL;
    else process.env.GIT_CONFIG_GLOBAL = before;
  }
});
