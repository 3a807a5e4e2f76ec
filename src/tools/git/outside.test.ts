import { appendFileSync, cpSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  type GitFixture,
  openGitFixture,
  type Worktree,
} from "../../../test/support/git-tools/git-fixture.ts";

/** Calls that would reveal something of another repository, if they reached it. */
const readings: readonly (readonly [string, object])[] = [
  ["git.status", {}],
  ["git.diff", { commit: "HEAD" }],
  ["git.log", {}],
  ["git.show", { revision: "HEAD" }],
  ["git.show", { revision: "HEAD", path: "private.txt" }],
  ["git.blame", { path: "private.txt" }],
];

/** A workspace next to a repository that no rule allows it to read. */
async function openBeside(): Promise<GitFixture & { readonly other: string }> {
  const opened = await openGitFixture({ files: { "a.txt": "one\n" }, prepare: makeOther, sandbox: "auto" });
  const other = join(opened.home, "other");
  renameSync(join(opened.workspace, "other"), other);
  return Object.assign(opened, { other });
}

function makeOther({ sh, write }: Worktree): void {
  write({ "other/private.txt": "confidential\n" });
  sh(`git init -q -b main other
    cd other
    git add -A
    git -c user.name=Ada -c user.email=ada@example.org commit -q -m "confidential work"`);
}

async function readAll(opened: GitFixture): Promise<{ codes: string[]; output: string }> {
  const codes: string[] = [];
  let output = "";
  for (const [tool, input] of readings) {
    const result = await opened.call(tool, input);
    codes.push(result.isError ? "refused" : "answered");
    output += `${result.content}\n${JSON.stringify(result.data)}\n`;
  }
  return { codes, output };
}

const ways: Readonly<Record<string, (opened: GitFixture, other: string) => void>> = {
  "a .git file that names it": ({ workspace }, other) => {
    rmSync(join(workspace, ".git"), { recursive: true });
    writeFileSync(join(workspace, ".git"), `gitdir: ${other}/.git\n`);
  },
  "a .git file that names it indirectly": ({ workspace }) => {
    rmSync(join(workspace, ".git"), { recursive: true });
    writeFileSync(join(workspace, ".git"), "gitdir: ../other/.git\n");
  },
  "a link as .git": ({ workspace }, other) => {
    rmSync(join(workspace, ".git"), { recursive: true });
    symlinkSync(join(other, ".git"), join(workspace, ".git"));
  },
  "one of its working trees elsewhere": ({ workspace, home, git }, other) => {
    git("-C", other, "worktree", "add", "-q", join(home, "third"), "-b", "third");
    rmSync(join(workspace, ".git"), { recursive: true });
    writeFileSync(join(workspace, ".git"), `gitdir: ${other}/.git/worktrees/third\n`);
  },
  commondir: ({ workspace }, other) => writeFileSync(join(workspace, ".git/commondir"), `${other}/.git\n`),
  "links as objects and refs": ({ workspace }, other) => {
    for (const name of ["objects", "refs"]) {
      rmSync(join(workspace, ".git", name), { recursive: true });
      symlinkSync(join(other, ".git", name), join(workspace, ".git", name));
    }
  },
  "a link deep in refs": ({ workspace }, other) =>
    symlinkSync(join(other, ".git/refs/heads"), join(workspace, ".git/refs/heads/theirs")),
  "a link as the index": ({ workspace }, other) => {
    rmSync(join(workspace, ".git/index"));
    symlinkSync(join(other, ".git/index"), join(workspace, ".git/index"));
  },
  alternates: ({ workspace }, other) =>
    writeFileSync(join(workspace, ".git/objects/info/alternates"), `${other}/.git/objects\n`),
  "alternates in quotes": ({ workspace }, other) =>
    writeFileSync(join(workspace, ".git/objects/info/alternates"), `"${other}/.git/\\157bjects"\n`),
  "alternates of alternates": ({ workspace }, other) => {
    mkdirSync(join(workspace, "between/info"), { recursive: true });
    writeFileSync(join(workspace, "between/info/alternates"), `${other}/.git/objects\n`);
    writeFileSync(join(workspace, ".git/objects/info/alternates"), "../../between\n");
  },
};

describe("a repository that points to another", () => {
  for (const [name, lead] of Object.entries(ways)) {
    it(`is refused with ${name}`, { tags: "slow" }, async () => {
      await using opened = await openBeside();
      lead(opened, opened.other);
      const { codes, output } = await readAll(opened);
      expect({ codes, shows: /confidential|private\.txt\b.*file/.test(output) }).toEqual({
        codes: readings.map(() => "refused"),
        shows: false,
      });
    });
  }

  it("reports the other repository, and the rule that would allow reading it", async () => {
    await using opened = await openBeside();
    ways["a .git file that names it"]!(opened, opened.other);
    expect((await opened.call("git.status", {})).content).toBe(
      `${opened.workspace}/.git names a repository outside the workspace, ${opened.other}/.git, which does not know this working tree\n` +
        `Ask the user to add the rule: allow read '${opened.other}/.git'/**`,
    );
  });

  it("is read once a rule allows it", async () => {
    await using opened = await openBeside();
    ways["a .git file that names it"]!(opened, opened.other);
    const lines = `allow read "${opened.other}"/.git/**`;
    await using again = await openGitFixture({ workspace: opened.workspace, lines, sandbox: "auto" });
    expect((await again.call("git.log", {})).content).toContain("confidential work");
  });
});

describe("settings of a repository that name outside files", () => {
  it("do not move the working tree", async () => {
    await using opened = await openBeside();
    opened.configure({ "core.worktree": opened.other });
    expect((await opened.call("git.status", {})).data).toMatchObject({ repository: ".", clean: true });
  });

  it("reveal nothing of those files as mailmap, order file or ignored revisions", {
    tags: "slow",
  }, async () => {
    await using opened = await openBeside();
    const file = join(opened.home, "list");
    writeFileSync(file, "Confidential Name <ada@example.org>\n");
    for (const key of ["mailmap.file", "blame.ignoreRevsFile", "diff.orderFile", "commit.template"])
      opened.configure({ [key]: file });
    const output = [];
    for (const [tool, input] of [
      ["git.log", {}],
      ["git.show", { revision: "HEAD" }],
      ["git.blame", { path: "a.txt" }],
      ["git.diff", { commit: "HEAD", stat: true }],
    ] as const) {
      const { content, isError } = await opened.call(tool, input);
      output.push({ isError, shows: content.includes("Confidential") });
    }
    expect(output).toEqual(output.map(() => ({ isError: false, shows: false })));
  });

  it("do not ignore files by an outside list", async () => {
    await using opened = await openBeside();
    writeFileSync(join(opened.home, "list"), "guess*\n");
    opened.configure({ "core.excludesFile": join(opened.home, "list") });
    opened.write({ "guess.txt": "" });
    expect((await opened.call("git.status", {})).data).toMatchObject({ untracked: ["guess.txt"] });
  });
});

describe("a folder that only looks like a repository", () => {
  it("is not one without .git", async () => {
    await using opened = await openBeside();
    cpSync(join(opened.other, ".git"), join(opened.workspace, "bare"), { recursive: true });
    opened.write({ "bare/file.txt": "" });
    appendFileSync(
      join(opened.workspace, "bare/config"),
      `[core]\n\tfsmonitor = ${opened.payload("payload")}\n`,
    );
    expect((await opened.call("git.status", { path: "bare" })).data).toMatchObject({
      repository: ".",
      untracked: ["bare/"],
    });
  });

  it("is not one with an empty .git", async () => {
    await using opened = await openBeside();
    renameSync(join(opened.workspace, ".git"), join(opened.home, "taken"));
    mkdirSync(join(opened.workspace, ".git"));
    expect((await opened.call("git.status", {})).content).toBe(
      "There is no git repository in the workspace, nor above it\n" +
        "Give the path of a repository in the workspace, or create one with `git init` in shell.run.",
    );
  });
});
