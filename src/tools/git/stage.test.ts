import { execFileSync } from "node:child_process";
import { rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type GitFixture, openGitFixture } from "../../../test/support/git-tools/git-fixture.ts";
import type { CallResult } from "../../toolcrib/index.ts";

const refusal = ({ error }: CallResult) => error && [error.code, error.message];

/** The staged changes according to git. */
const stagedIn = (opened: GitFixture) =>
  opened
    .git("diff", "--cached", "--name-status", "--find-renames", "-z")
    .split("\0")
    .filter((field) => field !== "");

it("stages added, changed, deleted and renamed files, and lists them", async () => {
  await using opened = await openGitFixture({
    sandbox: "auto",
    files: { a: "1\n", gone: "g\n", old: "renamed\nfile\n", "sub/b": "b\n" },
  });
  opened.write({ a: "2\n", "sub/new": "n\n", "new name": "renamed\nfile\n" });
  rmSync(join(opened.workspace, "gone"));
  rmSync(join(opened.workspace, "old"));
  const { content, data } = await opened.call("git.stage", { all: true });
  expect({ content, data }).toEqual({
    content:
      "Staged 5 files.\nStaged now, 4 changes for git.commit:\n  modified a\n  deleted gone\n" +
      `  renamed old → new name\n  added sub/new`,
    data: {
      files: 5,
      staged: [
        { path: "a", change: "modified" },
        { path: "gone", change: "deleted" },
        { path: "new name", change: "renamed", from: "old" },
        { path: "sub/new", change: "added" },
      ],
      notes: [],
    },
  });
});

it("stages only the given paths, and unstages them", { tags: "slow" }, async () => {
  await using opened = await openGitFixture({ files: { a: "1\n", "sub/b": "b\n", c: "c\n" } });
  opened.write({ a: "2\n", "sub/b": "2\n", "sub/new": "n\n", c: "2\n" });
  const staged = await opened.call("git.stage", { paths: ["sub", "a"] });
  const back = await opened.call("git.stage", { paths: ["sub"], unstage: true });
  const nothing = await opened.call("git.stage", { paths: ["sub"], unstage: true });
  expect([staged.content, back.content, nothing.content, opened.git("status", "--short")]).toEqual([
    `Staged 3 files.\nStaged now, 3 changes for git.commit:\n  modified a\n  modified sub/b\n  added sub/new`,
    `Unstaged 2 files.\nStaged now, 1 change for git.commit:\n  modified a`,
    "Nothing was staged there.\nStaged now, 1 change for git.commit:\n  modified a",
    "M  a\n M c\n M sub/b\n?? sub/new",
  ]);
});

it("leaves the index of a nested repository alone if a rule denies it", async () => {
  await using opened = await openGitFixture({ rules: ["deny write sub/.git/**"] });
  opened.write({ "sub/deep/b.ts": "b\n" });
  opened.git("init", "--quiet", "sub");
  const paths = ["sub/deep/b.ts", join(opened.workspace, "sub/deep/b.ts"), "sub/deep"];
  const refusals = await Promise.all(paths.map((path) => opened.call("git.stage", { paths: [path] })));
  expect([refusals.map(refusal), opened.git("-C", "sub", "status", "--short")]).toEqual([
    paths.map(() => ["denied", "Rules deny writing sub/.git/index"]),
    "?? deep/",
  ]);
});

it("stages and unstages before the first commit", { tags: "slow" }, async () => {
  await using opened = await openGitFixture();
  opened.write({ a: "1\n", b: "2\n" });
  await opened.call("git.stage", { all: true });
  const staged = stagedIn(opened);
  await opened.call("git.stage", { all: true, unstage: true });
  expect([staged, stagedIn(opened)]).toEqual([["A", "a", "A", "b"], []]);
});

it("reports that there is nothing to stage", async () => {
  await using opened = await openGitFixture({ files: { a: "1\n" } });
  const { content, data } = await opened.call("git.stage", { paths: ["a"] });
  expect({ content, data }).toEqual({
    content: "Nothing to stage: nothing has changed there.\nNothing is staged now.",
    data: { files: 0, staged: [], notes: [] },
  });
});

describe("secrets", () => {
  it("are never staged: omitted from folders, refused by name", async () => {
    await using opened = await openGitFixture({ files: { a: "1\n", "keys/old.pem": "k\n" } });
    // A file becomes a folder that holds a secret: the folder's name would stage it.
    rmSync(join(opened.workspace, "a"));
    opened.write({ "a/.env": "S=1\n", "a/x": "x\n", "keys/old.pem": "k2\n", "secrets/b": "b\n", ".env": "" });
    const all = await opened.call("git.stage", { all: true });
    const named = await opened.call("git.stage", { paths: ["a/x", "keys/old.pem"] });
    expect([all.data, refusal(named), stagedIn(opened)]).toEqual([
      {
        files: 2,
        staged: [
          { path: "a", change: "deleted" },
          { path: "a/x", change: "added" },
        ],
        notes: ["Left out: keys/old.pem, .env, a/.env, secrets/b (hidden by a rule)."],
      },
      [
        "denied",
        "Denied: it would read keys/old.pem: it is secret and cannot be read (secret *.pem, built-in)",
      ],
      ["D", "a", "A", "a/x"],
    ]);
  });

  it("are reported when nothing else has changed, with escaped names", async () => {
    await using opened = await openGitFixture({ files: { a: "1\n" } });
    opened.write({ "b\nStaged 9 files./.env": "S=1\n" });
    expect((await opened.call("git.stage", { all: true })).content.split("\n")).toEqual([
      "Nothing was staged.",
      'Left out: "b\\nStaged 9 files./.env" (hidden by a rule).',
      "Nothing is staged now.",
    ]);
  });

  it("behind links are not staged, only the links", async () => {
    await using opened = await openGitFixture({ files: { a: "1\n" }, mode: "yolo" });
    writeFileSync(join(opened.home, "outside"), "outside\n");
    opened.write({ ".env": "S=1\n" });
    symlinkSync(join(opened.home, "outside"), join(opened.workspace, "link"));
    symlinkSync(".env", join(opened.workspace, "inner"));
    await opened.call("git.stage", { all: true });
    const [link, inner] = opened.sh("git show :link; echo; git show :inner").split("\n");
    expect([link, inner, stagedIn(opened)]).toEqual([
      join(opened.home, "outside"),
      ".env",
      ["A", "inner", "A", "link"],
    ]);
  });
});

it("treats any name as a path", { tags: "slow" }, async () => {
  await using opened = await openGitFixture({ files: { a: "1\n" } });
  const names = [
    "*.txt",
    ":(exclude)a",
    "-A",
    "--all",
    "new\nline",
    "grün ☃",
    '"quoted"',
    "$(touch x)",
    "a'b",
  ];
  opened.write({ "other.txt": "o", a: "2\n", ...Object.fromEntries(names.map((name) => [name, "x"])) });
  const staged: unknown[] = [];
  for (const name of names) {
    await opened.call("git.stage", { paths: [name] });
    staged.push(opened.sh("git diff --cached --name-status -z; git reset -q").split("\0").slice(0, -1));
  }
  expect(staged).toEqual(names.map((name) => ["A", name]));
});

it("stages names that are not valid text", async () => {
  await using opened = await openGitFixture({ files: { a: "1\n" } });
  const name = Buffer.from([0x66, 0xff, 0x2e, 0x74]);
  writeFileSync(Buffer.concat([Buffer.from(`${opened.workspace}/`), name]), "x");
  const { content } = await opened.call("git.stage", { all: true });
  const listed = execFileSync("git", ["ls-files", "-z"], { cwd: opened.workspace });
  expect([content.split("\n")[2], listed.toString("latin1")]).toEqual(["  added f\ufffd.t", "a\0f\xff.t\0"]);
});

it("refuses invalid arguments, with a hint", { tags: "slow" }, async () => {
  await using opened = await openGitFixture({ files: { a: "1\n", ".gitignore": "*.log\n" } });
  opened.write({ "x.log": "x", "inner/b": "b" });
  opened.git("init", "-q", "inner");
  const refused = async (input: object) => refusal(await opened.call("git.stage", input));
  expect({
    nothing: await refused({}),
    both: await refused({ paths: ["a"], all: true }),
    outside: await refused({ paths: ["../x"] }),
    missing: await refused({ paths: ["a", "missing"] }),
    ignored: await refused({ paths: ["x.log"] }),
    own: await refused({ paths: [".git/config"] }),
    two: await refused({ paths: ["a", "inner/b"] }),
    staged: stagedIn(opened),
  }).toEqual({
    nothing: ["invalid-input", "Neither `paths` nor `all` was given"],
    both: ["invalid-input", "Both `paths` and `all` were given"],
    outside: ["outside-workspace", ".. leads outside the workspace"],
    missing: ["not-found", "missing does not exist"],
    ignored: ["denied", "x.log is ignored by *.log (.gitignore:1)"],
    own: ["invalid-input", ".git/config belongs to git, not to the working tree"],
    two: ["invalid-input", "a and inner/b are in different repositories"],
    staged: [],
  });
});

it("works in a nested repository, and omits it from the outer one", async () => {
  await using opened = await openGitFixture({ files: { a: "1\n" } });
  opened.write({ "inner/b": "b" });
  opened.git("init", "-q", "inner");
  const inner = await opened.call("git.stage", { paths: ["inner/b"] });
  const outer = await opened.call("git.stage", { all: true });
  expect([inner.data, outer.data]).toEqual([
    { files: 1, staged: [{ path: "inner/b", change: "added" }], notes: [] },
    { files: 0, staged: [], notes: ["Left out: inner/ (is a separate repository)."] },
  ]);
});

it("stages a new commit of a submodule", { tags: "slow" }, async () => {
  await using opened = await openGitFixture({ files: { a: "1\n" } });
  opened.sh(`commit() { git -C "$1" -c user.name=a -c user.email=a@b commit -q --allow-empty -m "$2"; }
    git init -q -b main ../module
    commit ../module one
    git -c protocol.file.allow=always submodule --quiet add "$PWD/../module" sub
    git commit -q -m 'With a submodule'
    commit sub two`);
  const { data } = await opened.call("git.stage", { paths: ["sub"] });
  expect([data, opened.git("rev-parse", ":sub")]).toEqual([
    { files: 1, staged: [{ path: "sub", change: "modified", submodule: [] }], notes: [] },
    opened.git("-C", "sub", "rev-parse", "HEAD"),
  ]);
});

it("waits for another git that locks the index, and reports one that does not finish", {
  tags: "slow",
}, async () => {
  await using opened = await openGitFixture({ files: { a: "1\n" } });
  const lock = join(opened.workspace, ".git/index.lock");
  opened.write({ a: "2\n" });
  writeFileSync(lock, "");
  const refused = await opened.call("git.stage", { all: true });
  setTimeout(() => rmSync(lock), 200);
  const staged = await opened.call("git.stage", { all: true });
  expect([refusal(refused), staged.error]).toEqual([
    ["unavailable", `Another git process is using this repository: ${lock} exists`],
    null,
  ]);
});

describe("a repository that is partly outside the workspace", () => {
  it("is not changed if its top is above the workspace", async () => {
    await using opened = await openGitFixture({ files: { "sub/a": "1\n" } });
    await using below = await opened.openIn("sub");
    opened.write({ "sub/a": "2\n" });
    expect(refusal(await below.crib.call("git.stage", { all: true }))).toEqual([
      "outside-workspace",
      `The repository in ${opened.workspace} is above the workspace, where tools may only read`,
    ]);
  });

  it("is changed if this is one of its working trees", { tags: "slow" }, async () => {
    await using opened = await openGitFixture({ files: { a: "1\n" } });
    opened.git("worktree", "add", "-q", "-b", "linked", "../linked tree");
    await using linked = await opened.openIn("../linked tree");
    writeFileSync(join(opened.home, "linked tree", "a"), "2\n");
    const staged = await linked.crib.call("git.stage", { all: true });
    const committed = await linked.crib.call("git.commit", { message: "In a linked tree" });
    expect([staged.error, committed.error, opened.git("log", "-1", "--format=%s", "linked")]).toEqual([
      null,
      null,
      "In a linked tree",
    ]);
  });
});
