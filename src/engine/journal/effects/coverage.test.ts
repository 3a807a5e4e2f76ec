import { spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openCommandFixture, treeOf } from "../../../../test/support/journal-scan/command-fixture.ts";

const canConfine = ["bwrap"].every((program) => spawnSync(program, ["--version"]).status === 0);

const notCovered = (fixture: { crib: { log(): readonly { notCovered: readonly string[] }[] } }) =>
  fixture.crib.log()[0]?.notCovered;

describe("content in git", () => {
  it("is not copied, and is fetched from git when it was changed", { tags: "slow" }, async () => {
    await using fixture = await openCommandFixture({ "a.txt": "a\n", "b/c.txt": "c\n" }, { git: true });
    const before = treeOf(fixture.workspace);
    await fixture.bash("mkdir made; rmdir made");
    expect(fixture.blobs()).toBe(0);
    const call = await fixture.bash("rm -r b; echo new > a.txt");
    // Two old states and a current one.
    expect(fixture.blobs()).toBe(3);
    await fixture.undo(call);
    expect(treeOf(fixture.workspace)).toEqual(before);
  });

  it("is copied when attributes convert it or it has uncommitted changes", { tags: "slow" }, async () => {
    const files = {
      "kept.txt": "a\n",
      "ident.txt": "$Id$\n",
      "changed.txt": "c\n",
      ".gitattributes": "ident.txt ident\n",
    };
    await using fixture = await openCommandFixture(files, { git: true });
    fixture.beside("rm ident.txt && git checkout -q . && printf d >> changed.txt && sleep 0.1");
    const before = treeOf(fixture.workspace);
    const call = await fixture.bash("rm *.txt");
    await fixture.undo(call);
    expect(treeOf(fixture.workspace)).toEqual(before);
  });

  it("is found in linked work trees, submodules and subdirectories of a repository", {
    tags: "slow",
  }, async () => {
    await using fixture = await openCommandFixture({ "top.txt": "t\n", "sub/in.txt": "i\n" });
    fixture.beside(`
      git init -q ../origin && echo o > ../origin/o.txt && git -C ../origin add . && git -C ../origin commit -q -m o
      git -C ../origin worktree add -q "$PWD/linked"
      git -c protocol.file.allow=always clone -q ../origin cloned
      for tree in linked cloned; do touch -d 2020-01-01 $tree/o.txt && git -C $tree update-index --refresh; done
      sleep 0.1`);
    const before = treeOf(fixture.workspace);
    await fixture.bash("mkdir made; rmdir made");
    // The two that are in no repository, and the file by which the linked tree finds its repository.
    expect(fixture.blobs()).toBe(3);
    const call = await fixture.bash("rm linked/o.txt cloned/o.txt top.txt sub/in.txt");
    await fixture.undo(call);
    expect(treeOf(fixture.workspace)).toEqual(before);
  });

  it("is reported as lost when the command removed it together with git", { tags: "slow" }, async () => {
    await using fixture = await openCommandFixture({ "a.txt": "a\n", "b.txt": "b\n" }, { git: true });
    const call = await fixture.bash("g=git; rm -rf .$g a.txt");
    expect([call.content, notCovered(fixture)]).toEqual([
      "[Undo does not cover: .git (git's own), a.txt (it could not be fetched from git)]",
      [".git (git's own)", "a.txt (it could not be fetched from git)"],
    ]);
  });
});

describe("the git directory", () => {
  it("is left alone, and changes in it are reported", { tags: "slow" }, async () => {
    await using fixture = await openCommandFixture({ "a.txt": "a\n" }, { git: true });
    const before = treeOf(fixture.workspace);
    const call = await fixture.bash(
      "git checkout -q -b other && echo b > b.txt && git add b.txt && git commit -q -m b",
    );
    expect(call.content).toBe("[Undo does not cover: .git (HEAD, branches or tags, the index)]");
    await fixture.undo(call);
    expect(treeOf(fixture.workspace)).toEqual(before);
    const status = await fixture.bash("touch a.txt; git status > /dev/null; git log > /dev/null; true > x");
    expect(status.content).toBe("");
  });
});

it("does not prevent undoing a branch switch's changes to files", { tags: "slow" }, async () => {
  await using fixture = await openCommandFixture({ "a.txt": "a\n", "gone/b.txt": "b\n" }, { git: true });
  fixture.beside(
    "git checkout -q -b other && echo c > a.txt && git rm -qr gone && git commit -qam c && git checkout -q -",
  );
  const before = treeOf(fixture.workspace);
  const call = await fixture.bash("git checkout -q other");
  expect([call.content, treeOf(fixture.workspace)]).toEqual([
    "[Undo does not cover: .git (HEAD, the index)]",
    { "a.txt": 'file 644 "c\\n"' },
  ]);
  await fixture.undo(call);
  expect(treeOf(fixture.workspace)).toEqual(before);
});

describe("ignored files", () => {
  const files = {
    ".gitignore": "node_modules/\n*.log\n.env\n",
    ".env": "KEY=1\n",
    "small.log": "log\n",
    "node_modules/left/out.js": "x\n",
    "nested/.gitignore": "build\n",
    "nested/build/out.js": "x\n",
  };

  it("are covered within a budget, including secrets and folders, and reported when they are not", async () => {
    await using fixture = await openCommandFixture(files);
    const before = treeOf(fixture.workspace);
    fixture.beside("truncate -s 17M large.log");
    const call = await fixture.bash(
      "e=env; rm -r .$e small.log large.log nested/build && echo > .$e.local && echo > nested/new.log",
    );
    expect(call.content).toBe(
      "[Undo does not cover: large.log (ignored, and beyond the budget for ignored files)]",
    );
    await fixture.crib.call("trial.undo", { call: call.callId, skipChanged: true });
    expect(treeOf(fixture.workspace)).toEqual(before);
  });

  it("are skipped in folders that programs fill, which is reported once and recorded with every command that changes them", async () => {
    await using fixture = await openCommandFixture(files);
    const unseen = "any change inside ignored folders (node_modules)";
    const first = await fixture.bash("echo y > node_modules/left/out.js");
    expect([first.content, notCovered(fixture)]).toEqual([`[Undo does not cover: ${unseen}]`, [unseen]]);
    const second = await fixture.bash("echo z > node_modules/left/out.js");
    expect([second.content, notCovered(fixture)]).toEqual(["", [unseen]]);
    const other = await fixture.bash("sleep 0.1; echo z > nested/build/out.js");
    expect([other.content, notCovered(fixture)]).toEqual(["", []]);
    const call = await fixture.bash("rm -r node_modules nested/build && mkdir nested/node_modules");
    expect(call.content).toBe(
      "[Undo does not cover: node_modules (ignored by git), nested/node_modules (ignored by git)]",
    );
  });

  it("are decided before the command, regardless of what it writes into ignore files", async () => {
    await using fixture = await openCommandFixture({ ...files, "src/main.ts": "main\n" });
    const before = treeOf(fixture.workspace);
    const call = await fixture.bash(
      "echo src > .gitignore && echo changed > src/main.ts && rm nested/.gitignore",
    );
    expect(call.content).toBe("");
    await fixture.undo(call);
    expect(treeOf(fixture.workspace)).toEqual(before);
  });
});

describe("an undo", () => {
  /** More entries than are looked at after each command. */
  const files = {
    ".gitignore": "node_modules/\n",
    "a.txt": "a\n",
    ...Object.fromEntries(
      Array.from({ length: 3_000 }, (_, index) => [`node_modules/m${index % 50}/f${index}.js`, "x\n"]),
    ),
  };
  const lost = "Not restored: any change inside ignored folders (node_modules).";

  it("names a large ignored folder as lost only when something in it has changed", {
    tags: "slow",
  }, async () => {
    await using fixture = await openCommandFixture(files);
    fixture.beside("sleep 0.1");
    const harmless = await fixture.bash("echo b > a.txt");
    const harmful = await fixture.bash("echo c > a.txt; echo y > node_modules/m49/f2999.js");
    const notes = [(await fixture.undo(harmful)).content, (await fixture.undo(harmless)).content];
    expect([harmless.content, harmful.content, notes]).toEqual(["", "", [lost, lost]]);
  });

  it("does not name one in which nothing has changed", { tags: "slow" }, async () => {
    await using fixture = await openCommandFixture(files);
    fixture.beside("sleep 0.1");
    const call = await fixture.bash("echo b > a.txt");
    expect([call.content, (await fixture.undo(call)).content]).toEqual(["", ""]);
  });
});

describe("content that cannot be stored", () => {
  it("is reported when it has changed, and not before", { tags: "slow" }, async () => {
    await using fixture = await openCommandFixture({ "small.txt": "s\n" });
    fixture.beside("truncate -s 65M data.bin && mkfifo pipe");
    expect((await fixture.bash("rm small.txt")).content).toBe("");
    expect((await fixture.bash("printf x >> data.bin; rm pipe")).content).toBe(
      "[Undo does not cover: pipe (not a file, directory or link), data.bin (too large to store)]",
    );
  });

  it("is also reported when the call fails", { tags: "slow" }, async () => {
    await using fixture = await openCommandFixture();
    fixture.beside("mkfifo pipe");
    const call = await fixture.crib.call(
      "trial.bash",
      { command: "rm pipe; sleep 60" },
      { timeoutMs: 3_000 },
    );
    expect(call.error).toEqual({
      code: "timeout",
      message: "The call did not finish within 3 s and was ended",
      hint:
        "Narrow the path or pattern, or allow more time. " +
        "Undo does not cover: pipe (not a file, directory or link).",
    });
    expect(notCovered(fixture)).toEqual(["pipe (not a file, directory or link)"]);
  });

  it("includes all files that this user may not read", { tags: "root" }, async () => {
    await using fixture = await openCommandFixture({ "secret.txt": "s\n", "closed/in.txt": "i\n" });
    fixture.beside("chmod 000 secret.txt closed");
    const call = await fixture.bash("chmod 644 secret.txt && echo t > secret.txt");
    const isRoot = process.getuid?.() === 0;
    expect(call.content).toBe(isRoot ? "" : "[Undo does not cover: secret.txt (no read permission)]");
  });

  it("includes directories that a command has closed, and nothing in them", {
    tags: "root",
  }, async () => {
    await using fixture = await openCommandFixture({ "d/one.txt": "1\n", "d/e/two.txt": "2\n" });
    const before = treeOf(fixture.workspace);
    const call = await fixture.bash("chmod 000 d");
    const isRoot = process.getuid?.() === 0;
    expect(call.content).toBe(isRoot ? "" : "[Undo does not cover: d (no read permission)]");
    const undo = await fixture.undo(call);
    expect([undo.isError, treeOf(fixture.workspace)]).toEqual([false, before]);
  });
});

it.skipIf(!canConfine)("ignores commands that only read, in a sandbox", async () => {
  await using fixture = await openCommandFixture({ "a.txt": "a\n" }, { sandbox: "bwrap" });
  await fixture.bash("cat a.txt | grep a");
  expect(fixture.blobs()).toBe(0);
});

it("finds no change when only timestamps differ", { tags: "slow" }, async () => {
  await using fixture = await openCommandFixture({ "a.txt": "a\n", "b.txt": "b\n" }, { git: true });
  const call = await fixture.bash("touch a.txt && chmod u-w b.txt && chmod u+w b.txt");
  const undo = await fixture.undo(call);
  expect([call.content, undo.error?.code]).toEqual(["", "not-found"]);
});

it("detects a change to a file written a moment before", { tags: "slow" }, async () => {
  await using fixture = await openCommandFixture({});
  for (let round = 0; round < 5; round += 1) {
    writeFileSync(join(fixture.workspace, "fresh.txt"), "one");
    const call = await fixture.bash("printf two 1<> fresh.txt > fresh.txt");
    await fixture.undo(call);
    expect(treeOf(fixture.workspace)).toEqual({ "fresh.txt": 'file 644 "one"' });
    rmSync(join(fixture.workspace, "fresh.txt"));
  }
});

it("copies a file whose content the last command has removed from git", { tags: "slow" }, async () => {
  await using fixture = await openCommandFixture({ "a.txt": "a\n" }, { git: true });
  fixture.beside("printf staged > b.txt && sleep 0.1 && git add b.txt && sleep 0.1");
  await fixture.bash("git rm -q --cached b.txt && git prune --expire=now");
  const before = treeOf(fixture.workspace);
  const call = await fixture.bash("rm b.txt");
  await fixture.undo(call);
  expect([call.content, treeOf(fixture.workspace)]).toEqual(["", before]);
});
