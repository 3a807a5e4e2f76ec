import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  type GitFixture,
  openGitFixture,
  type Worktree,
} from "../../../test/support/git-tools/git-fixture.ts";
import type { GitLogData } from "./log.ts";

async function call(opened: GitFixture, tool: string, input: object = {}) {
  const { data, content, isError } = await opened.call(tool, input);
  return { data, text: content, isError };
}

/** Commits with a fixed date, so that whole answers can be compared. */
function commit(
  { sh, commitOf }: Worktree,
  message: string,
  date: string,
  author = "Ada <ada@example.org>",
): string {
  sh(`git add -A
    git commit -q --allow-empty --author='${author}' --date=${date}T12:00:00+02:00 -m '${message}'`);
  return commitOf("HEAD");
}

async function openPast() {
  const opened = await openGitFixture({ prepare: commitThrice, sandbox: "auto" });
  const log = readFileSync(join(opened.workspace, ".git/logs/HEAD"), "utf8").trim().split("\n");
  const [first, second, third] = log.map((line) => line.split(" ")[1]!) as [string, string, string];
  return Object.assign(opened, { first, second, third });
}

function commitThrice(worktree: Worktree): void {
  const { write, git } = worktree;
  write({ "poem.txt": "Two roads\ndiverged\n" });
  commit(worktree, "Begin", "2026-01-02");
  git("mv", "poem.txt", "verse.txt");
  commit(worktree, "Rename\n\nAs poets do.\n\nTwice.", "2026-01-03", "Bob <bob@example.org>");
  write({ "verse.txt": "Two roads\ndiverged\nin a wood\n", picture: "a\0b" });
  commit(worktree, "Go on", "2026-01-04");
  git("tag", "v1");
}

describe("git.log", () => {
  it("lists commits, newest first, with all details", async () => {
    await using opened = await openPast();
    const { first, second, third } = opened;
    const { data, text } = await call(opened, "git.log");
    const ada = { name: "Ada", email: "ada@example.org" };
    expect(data).toEqual({
      limited: false,
      commits: [
        {
          hash: third,
          parents: [second],
          author: ada,
          date: "2026-01-04T12:00:00+02:00",
          refs: ["HEAD -> main", "tag: v1"],
          subject: "Go on",
          body: "",
        },
        {
          hash: second,
          parents: [first],
          author: { name: "Bob", email: "bob@example.org" },
          date: "2026-01-03T12:00:00+02:00",
          refs: [],
          subject: "Rename",
          body: "As poets do.\n\nTwice.",
        },
        {
          hash: first,
          parents: [],
          author: ada,
          date: "2026-01-02T12:00:00+02:00",
          refs: [],
          subject: "Begin",
          body: "",
        },
      ],
    });
    expect(text.split("\n")).toEqual([
      `${third.slice(0, 9)} 2026-01-04 Ada: Go on (HEAD -> main, tag: v1)`,
      `${second.slice(0, 9)} 2026-01-03 Bob: Rename`,
      `${first.slice(0, 9)} 2026-01-02 Ada: Begin`,
    ]);
  });

  it("follows a file to its earlier names, and selects by range, author and message", {
    tags: "slow",
  }, async () => {
    await using opened = await openPast();
    const subjects = async (input: object) =>
      (await call(opened, "git.log", input)).text
        .split("\n")
        .map((line) => /: (\w+(?: \w+)*)/.exec(line)?.[1]);
    expect([
      await subjects({ path: "verse.txt" }),
      await subjects({ path: "picture" }),
      await subjects({ revision: "HEAD~2..HEAD~1" }),
      await subjects({ author: "BOB@" }),
      await subjects({ grep: "poets do." }),
      await subjects({ grep: "poets.*" }),
      await subjects({ author: "--output=x" }),
      await subjects({ since: "a week ago", until: "9999-12-31", limit: 1 }),
      await subjects({ until: "a week ago" }),
    ]).toEqual([
      ["Go on", "Rename", "Begin"],
      ["Go on"],
      ["Rename"],
      ["Rename"],
      ["Rename"],
      [undefined],
      [undefined],
      ["Go on", "continue with"],
      [undefined],
    ]);
  });

  it("refuses a date that git would misread", async () => {
    await using opened = await openPast();
    const { error } = await opened.call("git.log", { since: "last weeek" });
    expect([error?.code, error?.message]).toEqual(["invalid-input", 'Unrecognized date: "last weeek"']);
  });

  it("counts lines, and reports that there are more", async () => {
    await using opened = await openPast();
    const { text, data } = await call(opened, "git.log", { stat: true, limit: 1 });
    expect(text).toBe(
      `${opened.third.slice(0, 9)} 2026-01-04 Ada: Go on (HEAD -> main, tag: v1)\n    picture binary\n    verse.txt +1 -0\n` +
        "[There are more: continue with `skip` 1.]",
    );
    expect(data).toMatchObject({ limited: true });
  });

  it("continues without losing a commit of a merged branch, or of a file under its earlier name", {
    tags: "slow",
  }, async () => {
    await using opened = await openPast();
    // After the rename: before it, git follows the file only if the dates allow it.
    opened.git("switch", "-q", "-c", "side", opened.second);
    opened.write({ side: "1\n" });
    commit(opened, "Aside", "2026-01-05");
    opened.sh("git switch -q main && git merge -q --no-ff -m Merge side");
    const pages = async (input: object) => {
      const subjects: string[] = [];
      for (let skip = 0, limited = true; limited; skip += 1) {
        const data = (await call(opened, "git.log", { ...input, limit: 1, skip })).data as GitLogData;
        subjects.push(...data.commits.map(({ subject }) => subject));
        limited = data.limited;
      }
      return subjects;
    };
    const all = await pages({});
    expect([all.length, all.toSorted(), await pages({ path: "verse.txt" })]).toEqual([
      5,
      ["Aside", "Begin", "Go on", "Merge", "Rename"],
      ["Go on", "Rename", "Begin"],
    ]);
  });

  it("lists the commits of HEAD, also when a file has that name", async () => {
    await using opened = await openGitFixture({ files: { HEAD: "not a commit\n" } });
    expect((await call(opened, "git.log")).data).toMatchObject({ commits: [{ parents: [] }] });
  });

  it("reports that there are no commits yet", async () => {
    await using opened = await openGitFixture();
    expect((await call(opened, "git.log")).text).toBe(
      "There is no HEAD: this repository has no commits yet\nMake a first commit with git.commit.",
    );
  });
});

describe("git.show", () => {
  it("shows the files of the first commit with any settings", async () => {
    await using opened = await openPast();
    opened.configure({ "log.showRoot": "false" });
    const { text } = await call(opened, "git.show", { revision: opened.first, stat: true });
    expect(text).toContain("poem.txt added +2 -0");
  });

  it("shows a commit with its message and changes", async () => {
    await using opened = await openPast();
    const { text, data } = await call(opened, "git.show", { revision: "HEAD" });
    expect(text.split("\n").filter((line) => !line.startsWith("index "))).toEqual([
      `commit ${opened.third} (HEAD -> main, tag: v1)`,
      "Author: Ada <ada@example.org>",
      "Date: 2026-01-04T12:00:00+02:00",
      "",
      "    Go on",
      "",
      "diff --git a/picture b/picture",
      "new file mode 100644",
      "Binary files /dev/null and b/picture differ",
      "diff --git a/verse.txt b/verse.txt",
      "--- a/verse.txt",
      "+++ b/verse.txt",
      "@@ -1,2 +1,3 @@",
      " Two roads",
      " diverged",
      "+in a wood",
      "[against its parent: 2 files changed, +1 -0]",
    ]);
    expect(data).toMatchObject({ kind: "commit", commit: { subject: "Go on" }, hidden: [] });
  });

  it("shows only names and numbers on request, also for a rename", async () => {
    await using opened = await openPast();
    expect(
      (await call(opened, "git.show", { revision: "HEAD~1", stat: true })).text.split("\n").slice(4),
    ).toEqual([
      "    Rename",
      "",
      "    As poets do.",
      "",
      "    Twice.",
      "",
      "poem.txt -> verse.txt renamed +0 -0",
      "[against its parent: 1 file changed, +0 -0]",
    ]);
  });

  it("shows an earlier version of a file or directory, also in git's syntax", { tags: "slow" }, async () => {
    await using opened = await openPast();
    const shown = async (input: object) => (await call(opened, "git.show", input)).text;
    expect([
      await shown({ revision: "HEAD~1", path: "verse.txt" }),
      await shown({ revision: "v1:picture" }),
      await shown({ revision: "HEAD~2", path: "." }),
      await shown({ revision: "HEAD~2", path: "verse.txt" }),
      await shown({ revision: "HEAD", path: "vers.txt" }),
    ]).toEqual([
      "Two roads\ndiverged\n",
      "[picture is not text there: binary data, 3 bytes.]",
      "poem.txt (19 bytes)\n[1 entry]",
      "verse.txt does not exist at HEAD~2\nDid you mean poem.txt?",
      "vers.txt does not exist at HEAD\nDid you mean verse.txt?",
    ]);
  });

  it("shows a file in its encoding", async () => {
    await using opened = await openGitFixture({
      files: {
        "latin.txt": Buffer.from("caf\xe9\n", "latin1"),
        "wide.txt": Buffer.from("\ufeffcafé\n", "utf16le"),
      },
    });
    const shown = async (path: string) => (await call(opened, "git.show", { revision: "HEAD", path })).text;
    expect([await shown("latin.txt"), await shown("wide.txt")]).toEqual(["café\n", "café\n"]);
  });

  it("shows the message of an annotated tag", async () => {
    await using opened = await openPast();
    opened.git("tag", "-a", "v2", "-m", "The second\n\nWith notes.");
    const { text } = await call(opened, "git.show", { revision: "v2", stat: true });
    expect(text.split("\n").slice(0, 7)).toEqual([
      "tag v2",
      "Tagger: Ada <ada@example.org>",
      "",
      "The second",
      "",
      "With notes.",
      "",
    ]);
  });

  it("reveals no secret: not by path, not in a commit, not by the hash of its content", {
    tags: "slow",
  }, async () => {
    await using opened = await openGitFixture({ files: { ".env": "KEY=hush\n", a: "1\n" } });
    const blob = opened.git("rev-parse", "HEAD:.env");
    opened.git("rm", "-q", ".env");
    commit(opened, "Remove it", "2026-01-02");
    const messages = [];
    for (const input of [
      { revision: "HEAD~1", path: ".env" },
      { revision: "HEAD~1:.env" },
      { revision: "HEAD~1:./.env" },
      { revision: ":0:.env" },
      { revision: blob },
      { revision: "HEAD" },
      { revision: "HEAD~1" },
    ]) {
      const { isError, text } = await call(opened, "git.show", input);
      messages.push({ isError, hush: text.includes("hush") });
    }
    expect(messages).toEqual(
      [true, true, true, true, true, false, false].map((isError) => ({ isError, hush: false })),
    );
  });

  it("shows where a merge differs from every parent", { tags: "slow" }, async () => {
    await using opened = await openGitFixture({ files: { a: "1\n" } });
    opened.git("switch", "-q", "-c", "other");
    opened.write({ a: "2\n" });
    commit(opened, "Two", "2026-01-02");
    opened.git("switch", "-q", "main");
    opened.write({ a: "3\n" });
    commit(opened, "Three", "2026-01-03");
    opened.sh("! git merge -q other");
    opened.write({ a: "2 and 3\n" });
    const merge = commit(opened, "Both", "2026-01-04");
    const { text } = await call(opened, "git.show", { revision: "HEAD" });
    expect(text.split("\n").slice(-8)).toEqual([
      "--- a/a",
      "+++ b/a",
      "@@@ -1,1 -1,1 +1,1 @@@",
      "- 3",
      " -2",
      "++2 and 3",
      "[where the merge differs from every parent: 1 file changed, +1 -2]",
      `[All its changes: git.diff with \`revision\` ${merge.slice(0, 9)}~1..${merge.slice(0, 9)}]`,
    ]);
  });

  it("shows only the workspace part of a repository above it", { tags: "slow" }, async () => {
    await using opened = await openGitFixture({ files: { "part/a": "1\n", "elsewhere/b": "1\n" } });
    await using part = await openGitFixture({ workspace: join(opened.workspace, "part") });
    const shown = async (input: object) => (await call(part, "git.show", input)).text;
    expect((await shown({ revision: "HEAD", stat: true })).split("\n").slice(-2)).toEqual([
      "a added +1 -0",
      "[against its parent: 1 file changed, +1 -0]",
    ]);
    expect(await shown({ revision: "HEAD", path: "a" })).toBe("1\n");
    expect(await shown({ revision: "HEAD", path: "../elsewhere/b" })).toContain("outside");
    expect(await shown({ revision: "HEAD^{tree}" })).toContain("is a tree, not a commit");
  });
});

describe("git.blame", () => {
  it("shows lines with an impossible date", async () => {
    await using opened = await openPast();
    const raw = opened
      .git("cat-file", "commit", "HEAD")
      .replace(/^(author .*>) \d+/m, "$1 99999999999999999");
    writeFileSync(join(opened.home, "commit"), `${raw}\n`);
    const hash = opened.git("hash-object", "-w", "--literally", "-t", "commit", join(opened.home, "commit"));
    opened.git("update-ref", "HEAD", hash);
    const { text } = await call(opened, "git.blame", { path: "verse.txt", first_line: 3 });
    expect(text).toBe(`[${hash.slice(0, 9)} date unknown Ada: Go on]\n3 | in a wood`);
  });

  it("reports that a file is empty", async () => {
    await using opened = await openPast();
    opened.write({ empty: "" });
    commit(opened, "Nothing", "2026-01-05");
    const { text } = await call(opened, "git.blame", { path: "empty" });
    expect(text).toBe("[The file is empty.]");
  });

  it("groups lines by the commit that added them, also under earlier names", async () => {
    await using opened = await openPast();
    opened.write({ "verse.txt": "Two roads\ndiverged\nin a wood\nand I\n" });
    const { data, text } = await call(opened, "git.blame", { path: "verse.txt" });
    const uncommitted = "0".repeat(40);
    expect(data).toMatchObject({
      path: "verse.txt",
      groups: [
        { commit: opened.first, firstLine: 1, lines: ["Two roads", "diverged"], from: "poem.txt" },
        { commit: opened.third, firstLine: 3, lines: ["in a wood"] },
        { commit: uncommitted, firstLine: 4, lines: ["and I"] },
      ],
      commits: [
        {
          hash: opened.first,
          author: "Ada",
          email: "ada@example.org",
          date: "2026-01-02T10:00:00.000Z",
          subject: "Begin",
        },
        { hash: opened.third, subject: "Go on" },
        { hash: uncommitted },
      ],
    });
    expect(text).toBe(
      `[${opened.first.slice(0, 9)} 2026-01-02 Ada: Begin, then poem.txt]\n1 | Two roads\n2 | diverged\n` +
        `[${opened.third.slice(0, 9)} 2026-01-04 Ada: Go on]\n3 | in a wood\n[not committed]\n4 | and I`,
    );
  });

  it("restricts itself to lines and a revision, and reports invalid ones", async () => {
    await using opened = await openPast();
    const messages = async (input: object) =>
      (await call(opened, "git.blame", { path: "verse.txt", ...input })).text;
    const first = opened.first.slice(0, 9);
    expect([
      await messages({ first_line: 2, last_line: 2 }),
      await messages({ revision: "HEAD~1" }),
      await messages({ first_line: 9 }),
      await messages({ first_line: 3, last_line: 2 }),
      await messages({ revision: "HEAD~2" }),
      await messages({ path: "nothing.txt" }),
    ]).toEqual([
      `[${first} 2026-01-02 Ada: Begin, then poem.txt]\n2 | diverged\n[Lines 2 to 2; continue with \`first_line\` 3.]`,
      `[${first} 2026-01-02 Ada: Begin, then poem.txt]\n1 | Two roads\n2 | diverged`,
      "verse.txt has 3 lines; line 9 is past its end\nUse lines from 1 to 3.",
      "last_line 2 is before first_line 3\nSwap them.",
      "verse.txt is not in HEAD~2\nTo see when it existed, use git.log with `path`.",
      "nothing.txt is not in the last commit\nTo see when it existed, use git.log with `path`.",
    ]);
  });
});
