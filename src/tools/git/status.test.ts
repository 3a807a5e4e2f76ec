import { existsSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type GitFixture, openGitFixture } from "../../../test/support/git-tools/git-fixture.ts";

const nothing = { staged: [], unstaged: [], unmerged: [], untracked: [], inProgress: [], notes: [] };

function onMain(opened: GitFixture, others: object = {}): object {
  const commit = opened.commitOf("HEAD");
  return { name: "main", commit, upstream: undefined, ahead: undefined, behind: undefined, ...others };
}

async function status(opened: GitFixture, input: object = {}) {
  const { data, content, isError } = await opened.call("git.status", input);
  return { data, text: content, isError };
}

describe("git.status", () => {
  it("reports that nothing is changed", { tags: "slow" }, async () => {
    await using opened = await openGitFixture({ files: { "a.txt": "one\n" }, sandbox: "auto" });
    expect(await status(opened)).toEqual({
      isError: false,
      data: { repository: ".", branch: onMain(opened), clean: true, ...nothing },
      text: `On main at ${opened.commitOf("HEAD").slice(0, 7)}.\nNothing has changed: the working tree is clean.`,
    });
  });

  it("lists staged, changed and untracked files with any names", { tags: "slow" }, async () => {
    await using opened = await openGitFixture({
      files: { "old name.txt": "1\n2\n3\n4\n", "b.txt": "b\n", "gone.txt": "", "-x": "", ":(top)y": "" },
    });
    opened.sh(`git mv 'old name.txt' 'new "name".txt' && git rm -q gone.txt`);
    opened.write({
      "b.txt": "changed\n",
      "line\nend": "",
      "dir/x": "",
      "dir/y": "",
      "-x": "1",
      ":(top)y": "1",
    });
    const { data, text } = await status(opened);
    expect(data).toEqual({
      repository: ".",
      branch: onMain(opened),
      clean: false,
      ...nothing,
      staged: [
        { path: "gone.txt", change: "deleted" },
        { path: 'new "name".txt', change: "renamed", from: "old name.txt" },
      ],
      unstaged: [
        { path: "-x", change: "modified" },
        { path: ":(top)y", change: "modified" },
        { path: "b.txt", change: "modified" },
      ],
      untracked: ["dir/", "line\nend"],
    });
    expect(text.split("\n").slice(1)).toEqual([
      "Staged:",
      "  deleted: gone.txt",
      '  renamed: old name.txt -> new "name".txt',
      "Not staged:",
      "  modified: -x",
      "  modified: :(top)y",
      "  modified: b.txt",
      "Untracked:",
      "  dir/",
      '  "line\\nend"',
    ]);
  });

  it("restricts itself to a path, and uses it literally", { tags: "slow" }, async () => {
    await using opened = await openGitFixture({ files: { "a/x": "", "b/x": "", "*": "" } });
    opened.write({ "a/x": "1", "b/x": "1", "*": "1" });
    const changed = async (path: string) => {
      const { data } = await status(opened, { path });
      return (data as { unstaged: { path: string }[] }).unstaged.map((change) => change.path);
    };
    expect([await changed("a"), await changed("b/x"), await changed("*")]).toEqual([["a/x"], ["b/x"], ["*"]]);
  });

  it("counts commits ahead of the upstream and behind it", { tags: "slow" }, async () => {
    await using opened = await openGitFixture({ files: { a: "" } });
    opened.sh(`git branch theirs
      for branch in theirs main
        do git switch -q $branch; git commit -q --allow-empty -m $branch; done
      git branch -q --set-upstream-to=theirs`);
    const { data, text } = await status(opened);
    expect(data).toMatchObject({ branch: onMain(opened, { upstream: "theirs", ahead: 1, behind: 1 }) });
    expect(text).toContain(", 1 ahead of and 1 behind theirs.");
    opened.git("branch", "-D", "theirs");
    expect((await status(opened)).text).toContain(", its upstream theirs is gone.");
  });

  it("reports unresolved conflicts of a merge", async () => {
    await using opened = await openGitFixture({ files: { a: "1\n" } });
    opened.sh(`git switch -q -c other
      echo 2 > a
      git commit -q -a -m 2
      git switch -q main
      echo 3 > a
      git commit -q -a -m 3
      ! git merge -q other`);
    const { data, text } = await status(opened);
    expect(data).toEqual({
      repository: ".",
      branch: onMain(opened),
      clean: false,
      ...nothing,
      unmerged: [{ path: "a", state: "both modified" }],
      inProgress: ["merge"],
    });
    expect(text.split("\n").slice(1)).toEqual([
      "A merge is in progress: resolve the conflicts and commit, or run `git merge --abort`.",
      "Unmerged:",
      "  both modified: a",
    ]);
  });

  it("supports a repository without commits, and a detached HEAD", { tags: "slow" }, async () => {
    await using empty = await openGitFixture();
    empty.write({ a: "" });
    expect((await status(empty)).text).toBe("On main, no commits yet.\nUntracked:\n  a");
    await using opened = await openGitFixture({ files: { a: "" } });
    opened.git("switch", "-q", "--detach");
    expect((await status(opened)).text).toMatch(/^HEAD is detached at [0-9a-f]{7}\.\n/);
  });

  it("treats a newline in a submodule name as part of it", { tags: "slow" }, async () => {
    await using opened = await openGitFixture({
      files: { ".gitmodules": '[submodule "x"]\n\tpath = "x\\nlib"\n' },
    });
    opened.git("init", "-q", "lib");
    opened.write({ "lib/a": "1\n" });
    const { data } = await opened.call("git.status", {});
    expect(data).toMatchObject({ unstaged: [], untracked: ["lib/"], notes: [] });
  });

  it("inspects submodules on their own", { tags: "slow" }, async () => {
    await using opened = await openGitFixture({ files: { a: "" } });
    opened.payload("payload");
    opened.sh(`git clone -q . ../library
      git -c protocol.file.allow=always submodule --quiet add "$PWD/../library" lib
      git commit -q -m 'Add lib'
      git -C lib config core.fsmonitor "$PWD/../payload"`);
    opened.write({ "lib/a": "changed\n", "lib/new": "" });
    expect((await status(opened)).data).toMatchObject({
      unstaged: [{ path: "lib", change: "modified", submodule: ["modified content", "untracked files"] }],
    });
    expect((await status(opened, { path: "lib" })).data).toMatchObject({
      repository: "lib",
      unstaged: [{ path: "lib/a", change: "modified" }],
      untracked: ["lib/new"],
    });
    expect(existsSync(join(opened.home, "ran"))).toBe(false);
  });

  it("reads a repository whose top is above the workspace, but only the workspace part", {
    tags: "slow",
  }, async () => {
    await using opened = await openGitFixture({ files: { "part/a": "", "elsewhere/b": "" } });
    opened.write({ "part/a": "1", "elsewhere/b": "1", "part/new": "" });
    await using part = await openGitFixture({ workspace: join(opened.workspace, "part") });
    expect((await status(part)).data).toEqual({
      repository: opened.workspace,
      branch: onMain(opened),
      clean: false,
      ...nothing,
      unstaged: [{ path: "a", change: "modified" }],
      untracked: ["new"],
    });
  });

  it("reads a linked working tree whose repository is elsewhere and knows it", { tags: "slow" }, async () => {
    await using opened = await openGitFixture({ files: { a: "" } });
    const linked = join(opened.home, "linked tree");
    opened.git("worktree", "add", "-q", linked, "-b", "topic");
    writeFileSync(join(linked, "new"), "");
    await using other = await openGitFixture({ workspace: linked });
    expect((await status(other)).data).toMatchObject({
      repository: ".",
      branch: { name: "topic" },
      untracked: ["new"],
    });
    // The repository does not know a moved working tree.
    renameSync(linked, `${linked} moved`);
    await using moved = await openGitFixture({ workspace: `${linked} moved` });
    expect((await status(moved)).text).toContain("which does not know this working tree");
  });

  it("refuses paths outside, and git's own files", async () => {
    await using opened = await openGitFixture({ files: { a: "" } });
    const outputs = [];
    for (const path of ["..", "/etc", ".git", ".GIT/config", "a/../../x"])
      outputs.push((await status(opened, { path })).isError);
    expect(outputs).toEqual([true, true, true, true, true]);
  });

  it("reads a repository with SHA-256 hashes", async () => {
    await using opened = await openGitFixture({ files: { a: "" } });
    opened.git("init", "-q", "-b", "main", "--object-format=sha256", "new");
    opened.write({ "new/file": "1\n" });
    expect((await status(opened, { path: "new" })).text).toBe(
      "On main, no commits yet in new.\nUntracked:\n  new/file",
    );
  });
});
