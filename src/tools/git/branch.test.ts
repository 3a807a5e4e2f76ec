import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  type GitFixture,
  openGitFixture,
  type Worktree,
} from "../../../test/support/git-tools/git-fixture.ts";
import { treeOf } from "../../../test/support/journal-scan/command-fixture.ts";
import type { CallResult } from "../../toolcrib/index.ts";

const refusal = ({ error }: CallResult) => error && [error.code, error.message];
const current = ({ workspace }: GitFixture) =>
  /^ref: refs\/heads\/(.*)\n$/.exec(readFileSync(join(workspace, ".git/HEAD"), "utf8"))?.[1];

/** Two branches: main, which is current, and other, with different changes. */
async function openTwo(options: Parameters<typeof openGitFixture>[0] = {}): Promise<GitFixture> {
  return openGitFixture({ files: { a: "1\n", c: "c\n" }, prepare: commitOther, ...options });
}

const commitOther = commitOnOther({ a: "other\n", "new/b": "b\n" });

function commitOnOther(files: Readonly<Record<string, string>>): (worktree: Worktree) => void {
  return ({ sh, write }) => {
    sh("git switch -q -c other");
    write(files);
    sh("git add -A && git commit -q -m Other && git switch -q main");
  };
}

describe("listing", () => {
  it("escapes control characters in messages", async () => {
    await using opened = await openGitFixture({ files: { a: "1\n" } });
    opened.git("commit", "-q", "--allow-empty", "-m", "Red \u001b[31m");
    const { content } = await opened.call("git.branch", {});
    expect(content.replace(/^\* main \w+ \S+ /, "")).toBe("Red <U+001B>[31m");
  });

  it("shows the current branch, its upstream and the last commit of each", async () => {
    await using opened = await openTwo({ sandbox: "auto" });
    opened.configure({
      "remote.origin.url": "nowhere",
      "remote.origin.fetch": "+refs/heads/*:refs/remotes/origin/*",
      "branch.gone.remote": "origin",
      "branch.gone.merge": "refs/heads/gone",
    });
    opened.sh(`git update-ref refs/remotes/origin/other main
      git branch -q --set-upstream-to=origin/other other
      git branch -q --set-upstream-to=origin/other main
      git branch gone`);
    const { data, content } = await opened.call("git.branch", {});
    const [main, other] = ["main", "other"].map((name) => opened.commitOf(name).slice(0, 7));
    const date = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
    const row = (name: string, commit: string | undefined, subject: string) => ({
      name,
      commit,
      subject,
      date,
    });
    const branches = (data as { branches: { name: string }[] }).branches;
    expect({
      ...(data as object),
      branches: branches.toSorted((one, two) => one.name.localeCompare(two.name)),
      lines: content
        .split("\n")
        .toSorted()
        .map((line) => line.replace(/ \d{4}-\d\d-\d\d/, "")),
    }).toEqual({
      action: "listed",
      current: "main",
      isCut: false,
      branches: [
        {
          ...row("gone", main, "First"),
          isCurrent: false,
          upstream: "origin/gone",
          ahead: null,
          behind: null,
        },
        { ...row("main", main, "First"), isCurrent: true, upstream: "origin/other", ahead: 0, behind: 0 },
        { ...row("other", other, "Other"), isCurrent: false, upstream: "origin/other", ahead: 1, behind: 0 },
      ],
      lines: [
        `  gone ${main} [origin/gone: gone] First`,
        `  other ${other} [origin/other: ahead 1, behind 0] Other`,
        `* main ${main} [origin/other: ahead 0, behind 0] First`,
      ],
    });
  });

  it("reports a repository without commits, and a detached HEAD", async () => {
    await using empty = await openGitFixture();
    await using opened = await openGitFixture({ files: { a: "1\n" } });
    opened.git("switch", "-q", "--detach");
    expect([
      (await empty.call("git.branch", {})).content,
      (await opened.call("git.branch", {})).content.split("\n")[0],
    ]).toEqual(["* main (no commits yet)", "HEAD is detached: no branch is current."]);
  });
});

it("creates a branch at the given revision, and stays on the current one", async () => {
  await using opened = await openTwo();
  const { content, data } = await opened.call("git.branch", { name: "fix/one", from: "other~1" });
  const commit = opened.commitOf("main");
  expect([content, data, opened.commitOf("fix/one"), current(opened)]).toEqual([
    `Created the branch fix/one at ${commit.slice(0, 10)} (other~1). It is not current.`,
    { action: "created", name: "fix/one", commit, files: 0, skippedHooks: [], notes: [] },
    commit,
    "main",
  ]);
});

describe("switching", () => {
  it("replaces files and keeps uncommitted changes, and undo restores the files", async () => {
    await using opened = await openTwo();
    opened.write({ c: "changed\n" });
    const before = treeOf(opened.workspace);
    const call = await opened.call("git.branch", { name: "other", switch: true });
    const after = treeOf(opened.workspace);
    const undo = await opened.call("journal.undo", { call: call.callId });
    const commit = opened.commitOf("other");
    expect({
      content: call.content,
      data: call.data,
      after,
      undone: treeOf(opened.workspace),
      undoNotes: undo.content.split("\n").filter((line) => line.startsWith("Not")),
      current: current(opened),
    }).toEqual({
      content: `Switched to other at ${commit.slice(0, 10)}: 2 files changed.\n[Undo does not cover: .git (HEAD, the index)]`,
      data: { action: "switched", name: "other", commit, files: 2, skippedHooks: [], notes: [] },
      after: {
        a: 'file 644 "other\\n"',
        c: 'file 644 "changed\\n"',
        new: "directory 755",
        "new/b": 'file 644 "b\\n"',
      },
      undone: before,
      undoNotes: [
        'Not restored: the current branch: files are restored, but HEAD stays on other; git.branch with `switch` and `name`: "main" goes back.',
        "Not restored: .git (HEAD, the index).",
      ],
      current: "other",
    });
  });

  it("creates the branch first with `from`", async () => {
    await using opened = await openTwo();
    const { data } = await opened.call("git.branch", { name: "third", from: "other", switch: true });
    const commit = opened.commitOf("other");
    expect([data, current(opened), opened.git("status", "--short")]).toEqual([
      { action: "created and switched", name: "third", commit, files: 2, skippedHooks: [], notes: [] },
      "third",
      "",
    ]);
  });

  it("overwrites no uncommitted changes, and names the files", { tags: "slow" }, async () => {
    const lost = {
      changed: { a: "mine\n" },
      untracked: { "new/b": "mine\n" },
      ignored: { "new/b": "mine\n", ".git/info/exclude": "new\n" },
    };
    const found: unknown[] = [];
    for (const files of Object.values(lost)) {
      await using opened = await openTwo();
      opened.write(files);
      const before = treeOf(opened.workspace);
      const refused = await opened.call("git.branch", { name: "other", switch: true });
      found.push([refusal(refused), current(opened)]);
      expect(treeOf(opened.workspace)).toEqual(before);
    }
    expect(found).toEqual([
      [["denied", "Switching would overwrite uncommitted a"], "main"],
      [["denied", "Switching would overwrite uncommitted new/b"], "main"],
      [["denied", "Switching would overwrite uncommitted new/b"], "main"],
    ]);
  });

  it("replaces no files that tools may not write", { tags: "slow" }, async () => {
    await using opened = await openTwo({
      mode: "yolo",
      prepare: commitOnOther({ ".env": "S=1\n", ".vscode/tasks.json": "{}\n" }),
    });
    const refused = await opened.call("git.branch", { name: "other", switch: true });
    expect([refusal(refused), current(opened), existsSync(join(opened.workspace, ".env"))]).toEqual([
      ["denied", "The branches differ in .env, .vscode/tasks.json, which tools may not write"],
      "main",
      false,
    ]);
  });

  it("replaces them when a rule allows tools to write them", { tags: "slow" }, async () => {
    await using opened = await openTwo({
      lines: "allow write .vscode .vscode/**",
      prepare: commitOnOther({ ".vscode/tasks.json": "{}\n" }),
    });
    const { error } = await opened.call("git.branch", { name: "other", switch: true });
    expect([error, readFileSync(join(opened.workspace, ".vscode/tasks.json"), "utf8")]).toEqual([
      null,
      "{}\n",
    ]);
  });

  it("is refused during a merge, and for a branch of another working tree", { tags: "slow" }, async () => {
    await using opened = await openTwo();
    opened.git("worktree", "add", "-q", "../tree", "other");
    const used = await opened.call("git.branch", { name: "other", switch: true });
    opened.write({ a: "main\n" });
    opened.sh("git branch third && git commit -q -a -m Main && ! git merge -q other");
    const merging = await opened.call("git.branch", { name: "third", switch: true });
    expect([refusal(used), refusal(merging)]).toEqual([
      ["unsupported", `The branch is checked out in the working tree ${join(opened.home, "tree")}`],
      ["unsupported", "Git cannot switch while merging"],
    ]);
  });

  it("runs hooks only if a rule allows them", { tags: "slow" }, async () => {
    const lines = "allow run git hook run *\nunconfined run git hook run *";
    const skipped: unknown[] = [];
    for (const options of [{}, { lines }]) {
      await using opened = await openTwo({ ...options, sandbox: "auto" });
      const hook = join(opened.workspace, ".git/hooks/post-checkout");
      writeFileSync(hook, "#!/bin/sh\ntouch hooked\n");
      chmodSync(hook, 0o755);
      const { data } = await opened.call("git.branch", { name: "other", switch: true });
      skipped.push([
        (data as { skippedHooks: unknown }).skippedHooks,
        existsSync(join(opened.workspace, "hooked")),
      ]);
    }
    expect(skipped).toEqual([
      [["post-checkout"], false],
      [[], true],
    ]);
  });
});

describe("deleting", () => {
  it("deletes a merged branch, and shows how to restore it", { tags: "slow" }, async () => {
    await using opened = await openTwo({ sandbox: "auto" });
    opened.sh("git branch merged && git branch plain");
    opened.configure({ "branch.merged.remote": "origin" });
    const commit = opened.commitOf("main").slice(0, 10);
    const undoNotes = (name: string) =>
      `Deleted the branch ${name}, which was at ${commit}; git.branch with \`name\`: "${name}" and \`from\`: "${commit}" restores it.`;
    const { level } = await opened.crib.sandbox();
    expect([
      (await opened.call("git.branch", { name: "plain", delete: true })).content,
      (await opened.call("git.branch", { name: "merged", delete: true })).content,
      opened.git("branch", "--list", "merged", "plain"),
      readFileSync(join(opened.workspace, ".git/config"), "utf8").includes('[branch "merged"]'),
    ]).toEqual([undoNotes("plain"), undoNotes("merged"), "", level === "landlock"]);
  });

  it("deletes unmerged commits only with force, and never the current branch", { tags: "slow" }, async () => {
    await using opened = await openTwo({ mode: "yolo" });
    const remove = async (name: string, force = false) =>
      refusal(await opened.call("git.branch", { name, delete: true, ...(force && { force }) }));
    expect([
      await remove("other"),
      await remove("main", true),
      await remove("missing"),
      await remove("other", true),
      opened.git("branch"),
    ]).toEqual([
      ["denied", "The branch other has commits that are not merged"],
      ["unsupported", `The branch main is checked out in ${opened.workspace}`],
      ["not-found", "There is no branch missing"],
      null,
      "* main",
    ]);
  });

  it("lists the existing branches when the branch does not exist", async () => {
    await using opened = await openGitFixture({ files: { a: "1\n" } });
    opened.git("update-ref", "refs/remotes/origin/topic", "main");
    const { error } = await opened.call("git.branch", { name: "topic", delete: true });
    expect(error).toEqual({
      code: "not-found",
      message: "There is no branch topic",
      hint: "Give one of the local branches: main.",
    });
  });
});

it("refuses names that git would misread", { tags: "slow" }, async () => {
  await using opened = await openTwo();
  const before = opened.git("for-each-ref");
  const names = [
    "-f",
    "--force",
    "-",
    "@{-1}",
    "HEAD",
    "a..b",
    "x\ny",
    "../../x",
    "a b",
    "",
    "a.lock",
    "x~1",
  ];
  const uses = [{}, { switch: true }, { switch: true, from: "other" }, { delete: true }];
  const codes = new Set<unknown>();
  for (const name of names)
    for (const use of uses) codes.add((await opened.call("git.branch", { name, ...use })).error?.code);
  expect([[...codes], opened.git("for-each-ref"), current(opened)]).toEqual([
    ["invalid-input"],
    before,
    "main",
  ]);
});

it("refuses invalid arguments, with a hint", { tags: "slow" }, async () => {
  await using opened = await openTwo();
  opened.git("update-ref", "refs/remotes/origin/remote", "main");
  const refused = async (input: object) => {
    const { error } = await opened.call("git.branch", input);
    return error && [error.code, error.hint];
  };
  expect({
    "no name": await refused({ switch: true }),
    "two things": await refused({ name: "x", delete: true, switch: true }),
    "no deletion": await refused({ name: "x", force: true }),
    "is there": await refused({ name: "other", from: "HEAD" }),
    "an option": await refused({ name: "x", from: "--output=x" }),
    "not there": await refused({ name: "othr", switch: true }),
    "only elsewhere": await refused({ name: "remote", switch: true }),
  }).toEqual({
    "no name": ["invalid-input", expect.stringContaining("`name`")],
    "two things": ["invalid-input", "Leave out `delete` or `switch`."],
    "no deletion": ["invalid-input", "Leave out `force`."],
    "is there": ["already-exists", "Choose another name, or use `switch` without `from` to switch to it."],
    "an option": ["invalid-input", expect.stringContaining("Give a branch")],
    "not there": ["not-found", 'Did you mean other? To create it here, set `from`: "HEAD".'],
    "only elsewhere": ["not-found", 'To create it from origin/remote, set `from`: "origin/remote".'],
  });
});
