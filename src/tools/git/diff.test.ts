import { readFileSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type GitFixture, openGitFixture } from "../../../test/support/git-tools/git-fixture.ts";

async function diff(opened: GitFixture, input: object = {}) {
  const { data, content, isError } = await opened.call("git.diff", input);
  return { data: data as { files: { path: string }[]; hidden: string[] }, text: content, isError };
}

async function show(opened: GitFixture) {
  const { data, content } = await opened.call("git.show", { revision: "HEAD" });
  return { data: data as { hidden: string[] }, text: content };
}

const plain = { isBinary: false, isCut: false };

describe("git.diff", () => {
  it("shows unstaged changes", async () => {
    await using opened = await openGitFixture({
      files: { "a.txt": "one\ntwo\n", "b.txt": "b\n" },
      sandbox: "auto",
    });
    opened.write({ "a.txt": "one\nTWO\nthree\n" });
    const [index, now] = opened
      .sh("git rev-parse --short=7 :a.txt; git hash-object a.txt | head -c 7")
      .split("\n");
    const patch = "@@ -1,2 +1,3 @@\n one\n-two\n+TWO\n+three\n";
    expect(await diff(opened)).toEqual({
      isError: false,
      data: {
        compared: "working tree against index",
        files: [{ ...plain, path: "a.txt", status: "modified", additions: 2, deletions: 1, patch }],
        additions: 2,
        deletions: 1,
        hidden: [],
        notes: [],
      },
      text:
        `diff --git a/a.txt b/a.txt\nindex ${index}..${now} 100644\n--- a/a.txt\n+++ b/a.txt\n${patch}` +
        "[working tree against index: 1 file changed, +2 -1]",
    });
  });

  it("compares the index, a commit, or two commits", { tags: "slow" }, async () => {
    await using opened = await openGitFixture({ files: { a: "1\n" } });
    opened.sh(`echo 2 > a
      git commit -q -a -m 2
      echo 3 > a
      git add a
      echo 4 > a`);
    const lines = async (input: object) => (await diff(opened, input)).text.match(/^[-+]\d$/gm);
    expect([
      await lines({}),
      await lines({ staged: true }),
      await lines({ revision: "HEAD" }),
      await lines({ revision: "HEAD~1", staged: true }),
      await lines({ commit: "HEAD~1..HEAD" }),
      await lines({ commit: "HEAD...HEAD~1" }),
    ]).toEqual([["-3", "+4"], ["-2", "+3"], ["-2", "+4"], ["-1", "+3"], ["-1", "+2"], null]);
  });

  it("refuses an unknown path, and accepts one that is in a commit, in the index or on disk", {
    tags: "slow",
  }, async () => {
    await using opened = await openGitFixture({ files: { long: "1\n", gone: "1\n", deleted: "1\n" } });
    opened.sh("git rm -q long && git commit -q -m 'Remove long' && git rm -q gone && rm deleted");
    opened.write({ untracked: "1\n" });
    const asked = async (...inputs: object[]) =>
      Promise.all(inputs.map(async (input) => (await opened.call("git.diff", input)).error?.code ?? "fine"));
    expect(
      await asked(
        { paths: ["nope"] },
        { paths: ["untracked", "nope/deeper"], stat: true },
        { paths: ["long"] },
        { paths: ["long"], revision: "HEAD~1" },
        { paths: ["long"], commit: "HEAD..HEAD~1" },
        { paths: ["gone", "deleted", "untracked", "."] },
      ),
    ).toEqual(["not-found", "not-found", "not-found", "fine", "fine", "fine"]);
  });

  it("reports submodules with modified content, and shows one on request", { tags: "slow" }, async () => {
    await using opened = await openGitFixture({ files: { a: "1\n" } });
    opened.sh(`git clone -q . ../library
      for name in lib other
        do git -c protocol.file.allow=always submodule --quiet add "$PWD/../library" $name; done
      git commit -q -m 'Add them'`);
    opened.write({ "lib/a": "changed\n", "other/untracked": "" });
    const note = "The submodule lib has modified content: give it as path to see it.";
    const none = { files: [], additions: 0, deletions: 0, hidden: [] };
    const inside = await diff(opened, { paths: ["lib"], stat: true });
    expect([await diff(opened), await diff(opened, { staged: true }), inside.text]).toEqual([
      {
        isError: false,
        data: { compared: "working tree against index", ...none, notes: [note] },
        text: `No differences: working tree against index.\n[${note}]`,
      },
      {
        isError: false,
        data: { compared: "index against HEAD", ...none, notes: [] },
        text: "No differences: index against HEAD.",
      },
      "lib/a +1 -1\n[working tree against index: 1 file changed, +1 -1]",
    ]);
  });

  it("reports new, deleted, moved and binary files, and changed modes", { tags: "slow" }, async () => {
    await using opened = await openGitFixture({
      files: { "old name": "1\n2\n3\n4\n", gone: "x\n", picture: "a\0b", run: "x\n", 'qu"ote\n': "q\n" },
    });
    opened.write({ picture: "a\0c", new: "n\n", 'qu"ote\n': "r\n" });
    opened.sh(
      "git mv 'old name' 'new name' && git rm -q gone && git add -A && git update-index --chmod=+x run",
    );
    const { data } = await diff(opened, { staged: true });
    const expected = [
      { path: "gone", status: "deleted", additions: 0, deletions: 1, isBinary: false },
      { path: "new", status: "added", additions: 1, deletions: 0, isBinary: false },
      { path: "new name", status: "renamed", from: "old name", additions: 0, deletions: 0, isBinary: false },
      { path: "picture", status: "modified", additions: 0, deletions: 0, isBinary: true },
      { path: 'qu"ote\n', status: "modified", additions: 1, deletions: 1, isBinary: false },
      { path: "run", status: "mode changed", additions: 0, deletions: 0, isBinary: false },
    ];
    expect(sorted(data.files)).toMatchObject(expected);
    const stat = await diff(opened, { staged: true, stat: true });
    expect(sorted(stat.data.files)).toMatchObject(expected);
    expect(stat.text).toBe(
      [
        "gone deleted +0 -1",
        "new added +1 -0",
        "old name -> new name renamed +0 -0",
        "picture binary",
        '"qu\\"ote\\n" +1 -1',
        "run mode changed +0 -0",
        "[index against HEAD: 6 files changed, +2 -2]",
      ].join("\n"),
    );
  });

  it("shows lines even when settings treat every file as large", async () => {
    await using opened = await openGitFixture({ files: { a: "1\n" } });
    opened.configure({ "core.bigFileThreshold": "1" });
    opened.write({ a: "2\n" });
    expect((await diff(opened)).text).toContain("\n-1\n+2\n");
  });

  it("reports no differences, also when only a file time differs, and leaves the index alone", async () => {
    await using opened = await openGitFixture({ files: { a: "1\n" } });
    utimesSync(join(opened.workspace, "a"), new Date(0), new Date(0));
    const index = readFileSync(join(opened.workspace, ".git/index"));
    expect([(await diff(opened)).text, (await diff(opened, { stat: true })).text]).toEqual([
      "No differences: working tree against index.",
      "No differences: working tree against index.",
    ]);
    expect(readFileSync(join(opened.workspace, ".git/index"))).toEqual(index);
  });

  it("omits files that may contain secrets, under every name they had", { tags: "slow" }, async () => {
    await using opened = await openGitFixture({ files: { ".env": "KEY=hush-1\nA=1\nB=2\nC=3\n", a: "1\n" } });
    opened.write({ ".env": "KEY=hush-2\nA=1\nB=2\nC=3\n", a: "2\n" });
    const first = await diff(opened);
    opened.git("mv", ".env", "settings.txt");
    const second = await diff(opened, { commit: "HEAD" });
    expect(
      [first, second].map(({ data, text }) => ({ hidden: data.hidden, hush: text.includes("hush") })),
    ).toEqual([
      { hidden: [".env"], hush: false },
      { hidden: ["settings.txt"], hush: false },
    ]);
    expect(first.text).toContain("[1 file hidden by rules was skipped: .env]");
    expect((await diff(opened, { paths: [".env"] })).isError).toBe(true);
    opened.git("reset", "-q", "--hard");
    opened.write({ ".env": "KEY=hush-3\n" });
    expect((await diff(opened)).text).toBe(
      "No differences that can be shown: working tree against index.\n[1 file hidden by rules was skipped: .env]",
    );
  });

  it("shows a file with a secret name while git has its content", { tags: "slow" }, async () => {
    await using opened = await openGitFixture({ files: { ".env.test": "PORT=1\n", a: "1\n" } });
    opened.write({ ".env.test": "PORT=2\n" });
    const [changed, named] = [await diff(opened), await diff(opened, { paths: [".env.test"] })];
    opened.git("add", ".env.test");
    const staged = await diff(opened, { staged: true });
    const others = await diff(opened, { staged: true, paths: [".env.test"] });
    opened.git("commit", "-qm", "Second");
    const shown = await show(opened);
    opened.write({ ".env.test": "PORT=3\n" });
    const now = await show(opened);
    const hidden = ({ data, text }: Awaited<ReturnType<typeof show>>) => [
      data.hidden,
      text.includes("+PORT=2"),
    ];
    expect([hidden(changed), named.isError]).toEqual([[[".env.test"], false], true]);
    expect([staged, others, shown].map(hidden)).toEqual([
      [[], true],
      [[], true],
      [[], true],
    ]);
    expect(hidden(now)).toEqual([[".env.test"], false]);
  });

  it("stores a huge diff and shows its start, with the names of all files", { tags: "slow" }, async () => {
    await using opened = await openGitFixture({ files: { "a.txt": "", "z.txt": "" } });
    opened.write({ "a.txt": "a line of text\n".repeat(200_000), "z.txt": "last\n" });
    const { text, data } = await diff(opened);
    const [, handle = ""] = /The whole diff is stored as (out_\w+)/.exec(text) ?? [];
    expect({
      isShort: text.length < 42_000,
      summary: /\[… cut; (.*)\]\n/.exec(text)?.[1],
      numbers: data.files.map(({ patch, ...file }: { patch?: string; path: string }) => ({
        ...file,
        chars: patch!.length,
      })),
    }).toEqual({
      isShort: true,
      summary: "working tree against index: 2 files changed, +200001 -0: a.txt +200000 -0, z.txt +1 -0",
      numbers: [
        {
          path: "a.txt",
          status: "modified",
          additions: 200_000,
          deletions: 0,
          isBinary: false,
          isCut: true,
          chars: 524_277,
        },
        {
          path: "z.txt",
          status: "modified",
          additions: 1,
          deletions: 0,
          isBinary: false,
          isCut: true,
          chars: expect.any(Number),
        },
      ],
    });
    const end = await opened.call("file.read", { path: handle, offset: -1 });
    expect(end.content).toContain("+last");
  });

  it("uses revisions and paths literally, never as options", { tags: "slow" }, async () => {
    await using opened = await openGitFixture({ files: { a: "1\n", b: "1\n" } });
    opened.write({ a: "2\n", b: "2\n", "--output=stolen": "", ":(exclude)a": "", ":/x": "", "*": "" });
    const codes = [];
    for (const commit of [
      "--output=stolen",
      "-O/etc/passwd",
      "--no-index",
      "HEAD\n--output=x",
      "@{-1}",
      "",
      ":(top)",
      "HEAD --stat",
    ])
      codes.push((await diff(opened, { commit })).isError);
    for (const paths of [["--output=stolen"], ["../.."], [":(exclude)a"], [":/"], ["*"]]) {
      const { isError, data } = await diff(opened, { paths });
      codes.push(isError || data.files.length > 0);
    }
    expect(codes).toEqual([true, true, true, true, true, true, true, true, false, true, false, false, false]);
    expect(opened.git("status", "--porcelain")).toBe(
      " M a\n M b\n?? *\n?? --output=stolen\n?? :(exclude)a\n?? :/",
    );
  });

  it("suggests similar names when a revision does not exist", { tags: "slow" }, async () => {
    await using opened = await openGitFixture({ files: { a: "1\n" } });
    opened.git("branch", "feature/login");
    const messageFor = async (commit: string) => (await diff(opened, { commit })).text;
    expect([
      await messageFor("feature/logn"),
      await messageFor("HAED"),
      await messageFor("nothing-like-it"),
    ]).toEqual([
      "There is no revision feature/logn in this repository\nDid you mean feature/login?",
      "There is no revision HAED in this repository\nDid you mean HEAD?",
      "There is no revision nothing-like-it in this repository\nUse a branch or tag (feature/login, main), or a commit from git.log.",
    ]);
  });

  it("shows paths relative to the workspace, wherever the repository is", { tags: "slow" }, async () => {
    await using opened = await openGitFixture({ files: { "part/a": "1\n", "elsewhere/b": "1\n" } });
    opened.sh("git init -q inner && echo 1 > inner/c && git -C inner add c");
    opened.write({ "part/a": "2\n", "elsewhere/b": "2\n", "inner/c": "2\n" });
    await using part = await openGitFixture({ workspace: join(opened.workspace, "part") });
    const heads = async (one: GitFixture, input: object) =>
      (await diff(one, input)).text.match(/^diff .*$/gm);
    expect([
      await heads(opened, { paths: ["inner"] }),
      await heads(part, {}),
      await heads(part, { paths: ["a"] }),
    ]).toEqual([["diff --git a/inner/c b/inner/c"], ["diff --git a/a b/a"], ["diff --git a/a b/a"]]);
    expect((await diff(opened, { paths: ["inner", "part"] })).text).toBe(
      "inner and part are in different repositories\nMake one call for each repository.",
    );
  });
});

function sorted<File extends { readonly path: string }>(files: readonly File[]): File[] {
  return files.toSorted((one, other) => (one.path < other.path ? -1 : 1));
}
