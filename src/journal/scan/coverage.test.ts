import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openCommandRoom, treeOf } from "../../../test/support/journal-scan/command-room.ts";

const notCovered = (room: { crib: { history(): readonly { notCovered: readonly string[] }[] } }) =>
  room.crib.history()[0]?.notCovered;

describe("what git holds", () => {
  it("is not copied, and fetched from git when it was changed", async () => {
    await using room = await openCommandRoom({ "a.txt": "a\n", "b/c.txt": "c\n" }, { git: true });
    const before = treeOf(room.workspace);
    await room.bash("mkdir made; rmdir made");
    expect(room.blobs()).toBe(0);
    const call = await room.bash("rm -r b; echo new > a.txt");
    // Both as they were, and one as it is.
    expect(room.blobs()).toBe(3);
    await room.undo(call);
    expect(treeOf(room.workspace)).toEqual(before);
  });

  it("is copied where attributes translate it, or it was changed since", async () => {
    const files = {
      "kept.txt": "a\n",
      "ident.txt": "$Id$\n",
      "changed.txt": "c\n",
      ".gitattributes": "ident.txt ident\n",
    };
    await using room = await openCommandRoom(files, { git: true });
    room.beside("rm ident.txt && git checkout -q . && printf d >> changed.txt && sleep 0.1");
    const before = treeOf(room.workspace);
    const call = await room.bash("rm *.txt");
    await room.undo(call);
    expect(treeOf(room.workspace)).toEqual(before);
  });

  it("is found in linked working trees, submodules and directories of a repository", async () => {
    await using room = await openCommandRoom({ "top.txt": "t\n", "sub/in.txt": "i\n" });
    room.beside(`
      git init -q ../origin && echo o > ../origin/o.txt && git -C ../origin add . && git -C ../origin commit -q -m o
      git -C ../origin worktree add -q "$PWD/linked"
      git -c protocol.file.allow=always clone -q ../origin cloned
      for tree in linked cloned; do touch -d 2020-01-01 $tree/o.txt && git -C $tree update-index --refresh; done
      sleep 0.1`);
    const before = treeOf(room.workspace);
    await room.bash("mkdir made; rmdir made");
    // The two that no repository knows, and the file by which the linked tree finds its own.
    expect(room.blobs()).toBe(3);
    const call = await room.bash("rm linked/o.txt cloned/o.txt top.txt sub/in.txt");
    await room.undo(call);
    expect(treeOf(room.workspace)).toEqual(before);
  });

  it("is said to be lost when the command has removed it together with git", async () => {
    await using room = await openCommandRoom({ "a.txt": "a\n", "b.txt": "b\n" }, { git: true });
    const call = await room.bash("g=git; rm -rf .$g a.txt");
    expect([call.content, notCovered(room)]).toEqual([
      "[Undo does not cover: .git (git's own), a.txt (it could not be fetched from git)]",
      [".git (git's own)", "a.txt (it could not be fetched from git)"],
    ]);
  });
});

describe("git itself", () => {
  it("is left alone, and it is said what of it has changed", async () => {
    await using room = await openCommandRoom({ "a.txt": "a\n" }, { git: true });
    const before = treeOf(room.workspace);
    const call = await room.bash(
      "git checkout -q -b other && echo b > b.txt && git add b.txt && git commit -q -m b",
    );
    expect(call.content).toBe("[Undo does not cover: .git (HEAD, branches or tags, the index)]");
    await room.undo(call);
    expect(treeOf(room.workspace)).toEqual(before);
    const status = await room.bash("touch a.txt; git status > /dev/null; git log > /dev/null; true > x");
    expect(status.content).toBe("");
  });
});

it("takes back what switching branches did to files", async () => {
  await using room = await openCommandRoom({ "a.txt": "a\n", "gone/b.txt": "b\n" }, { git: true });
  room.beside(
    "git checkout -q -b other && echo c > a.txt && git rm -qr gone && git commit -qam c && git checkout -q -",
  );
  const before = treeOf(room.workspace);
  const call = await room.bash("git checkout -q other");
  expect([call.content, treeOf(room.workspace)]).toEqual([
    "[Undo does not cover: .git (HEAD, the index)]",
    { "a.txt": 'file 644 "c\\n"' },
  ]);
  await room.undo(call);
  expect(treeOf(room.workspace)).toEqual(before);
});

describe("ignored files", () => {
  const files = {
    ".gitignore": "node_modules/\n*.log\n.env\n",
    ".env": "KEY=1\n",
    "small.log": "log\n",
    "large.log": "l".repeat(1_100_000),
    "node_modules/left/out.js": "x\n",
    "nested/.gitignore": "build\n",
    "nested/build/out.js": "x\n",
  };

  it("are covered when they are small, also secrets, and said when they are not", async () => {
    await using room = await openCommandRoom(files);
    const before = treeOf(room.workspace);
    const call = await room.bash("e=env; rm .$e small.log large.log && echo > .$e.local");
    expect(call.content).toBe(
      "[Undo does not cover: large.log (ignored, and larger than 1 MB), any change inside ignored folders (node_modules, nested/build)]",
    );
    delete before["large.log"];
    await room.crib.call("trial.undo", { call: call.callId, skipChanged: true });
    expect(treeOf(room.workspace)).toEqual(before);
  });

  it("are left out by whole directories, which is said once, and is on record with every command", async () => {
    await using room = await openCommandRoom(files);
    const unseen = "any change inside ignored folders (node_modules, nested/build)";
    const first = await room.bash("echo y > node_modules/left/out.js");
    expect([first.content, notCovered(room)]).toEqual([`[Undo does not cover: ${unseen}]`, [unseen]]);
    const second = await room.bash("echo z > node_modules/left/out.js");
    expect([second.content, notCovered(room)]).toEqual(["", [unseen]]);
    const call = await room.bash("rm -r node_modules nested/build && mkdir nested/node_modules");
    expect(call.content).toBe(
      "[Undo does not cover: nested/build (ignored by git), node_modules (ignored by git), nested/node_modules (ignored by git)]",
    );
  });

  it("are what they were before the command, whatever it writes into ignore files", async () => {
    await using room = await openCommandRoom({ ...files, "src/main.ts": "main\n" });
    const before = treeOf(room.workspace);
    const call = await room.bash(
      "echo src > .gitignore && echo changed > src/main.ts && rm nested/.gitignore",
    );
    expect(call.content).toBe(
      "[Undo does not cover: any change inside ignored folders (node_modules, nested/build)]",
    );
    await room.undo(call);
    expect(treeOf(room.workspace)).toEqual(before);
  });
});

describe("what cannot be kept", () => {
  it("is said when it has changed, and not before", async () => {
    await using room = await openCommandRoom({ "small.txt": "s\n" });
    room.beside("truncate -s 65M data.bin && mkfifo pipe");
    expect((await room.bash("rm small.txt")).content).toBe("");
    expect((await room.bash("printf x >> data.bin; rm pipe")).content).toBe(
      "[Undo does not cover: pipe (not a file, directory or link), data.bin (too large to store)]",
    );
  });

  it("is said of a call that failed as well", async () => {
    await using room = await openCommandRoom();
    room.beside("mkfifo pipe");
    const call = await room.crib.call("trial.bash", { command: "rm pipe; sleep 60" }, { timeoutMs: 500 });
    expect(call.error).toEqual({
      code: "timeout",
      message: "The call did not finish within 0.5 s and was ended",
      hint:
        "Narrow the path or pattern, or allow more time. " +
        "Undo does not cover: pipe (not a file, directory or link).",
    });
    expect(notCovered(room)).toEqual(["pipe (not a file, directory or link)"]);
  });

  it("is whatever this user may not read", async () => {
    await using room = await openCommandRoom({ "secret.txt": "s\n", "closed/in.txt": "i\n" });
    room.beside("chmod 000 secret.txt closed");
    const call = await room.bash("chmod 644 secret.txt && echo t > secret.txt");
    const isRoot = process.getuid?.() === 0;
    expect(call.content).toBe(isRoot ? "" : "[Undo does not cover: secret.txt (no read permission)]");
  });
});

it("takes no notice of commands that only read", async () => {
  await using room = await openCommandRoom({ "a.txt": "a\n" });
  await room.bash("cat a.txt | grep a");
  expect(room.blobs()).toBe(0);
});

it("finds nothing where only times have changed", async () => {
  await using room = await openCommandRoom({ "a.txt": "a\n", "b.txt": "b\n" }, { git: true });
  const call = await room.bash("touch a.txt && chmod u-w b.txt && chmod u+w b.txt");
  const undo = await room.undo(call);
  expect([call.content, undo.error?.code]).toEqual(["", "not-found"]);
});

it("takes a change of a file that was written a moment before for one", async () => {
  await using room = await openCommandRoom({});
  for (let round = 0; round < 5; round += 1) {
    writeFileSync(join(room.workspace, "fresh.txt"), "one");
    const call = await room.bash("printf two 1<> fresh.txt > fresh.txt");
    await room.undo(call);
    expect(treeOf(room.workspace)).toEqual({ "fresh.txt": 'file 644 "one"' });
    rmSync(join(room.workspace, "fresh.txt"));
  }
});
