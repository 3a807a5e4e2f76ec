/** @module-tag slow */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import {
  type GitFixture,
  openGitFixture,
  type Worktree,
} from "../../../test/support/git-tools/git-fixture.ts";

/** Without a sandbox, so that only the git settings prevent a payload from running. */
async function openVictim(): Promise<GitFixture> {
  const files = { "a.txt": "one\n", "b.txt": "two\n" };
  return openGitFixture({ files, prepare: branchAndChange, sandbox: "none" });
}

function branchAndChange({ sh, write }: Worktree): void {
  sh(`git switch -q -c other
    echo other > b.txt
    git commit -q -a -m Other
    git switch -q main
    git branch merged`);
  write({ "a.txt": "changed\n", "new.txt": "new\n" });
}

/** Every call that writes. */
const writings = [
  ["git.stage", { all: true }],
  ["git.stage", { paths: ["new.txt"], unstage: true }],
  ["git.stage", { paths: ["new.txt"] }],
  ["git.commit", { message: "Message\n\nTrailer: value" }],
  ["git.commit", { amend: true, message: "Again" }],
  ["git.branch", { name: "made" }],
  ["git.branch", { name: "other", switch: true }],
  ["git.branch", { name: "third", from: "main", switch: true }],
  ["git.branch", { name: "merged", delete: true }],
  ["git.branch", {}],
] as const;

const settingsWithPrograms = (payload: string): Readonly<Record<string, string>> => ({
  "core.fsmonitor": payload,
  "core.editor": payload,
  "sequence.editor": payload,
  "core.pager": payload,
  "core.askPass": payload,
  "core.sshCommand": payload,
  "core.alternateRefsCommand": payload,
  "credential.helper": payload,
  "diff.external": payload,
  "interactive.diffFilter": payload,
  "commit.gpgSign": "true",
  "commit.verbose": "true",
  "gpg.program": payload,
  "gpg.format": "openpgp",
  "gpg.ssh.program": payload,
  "gpg.ssh.defaultKeyCommand": payload,
  "trailer.trailer.command": payload,
  "trailer.trailer.cmd": payload,
  "merge.evil.driver": payload,
  "diff.evil.textconv": payload,
  "gc.auto": "1",
  "alias.commit": `!${payload}`,
  "alias.switch": `!${payload}`,
  "alias.branch": `!${payload}`,
  "alias.update-index": `!${payload}`,
  "alias.status": `!${payload}`,
});

const hooks = [
  "pre-commit",
  "pre-merge-commit",
  "prepare-commit-msg",
  "commit-msg",
  "post-commit",
  "post-checkout",
  "post-rewrite",
  "post-index-change",
  "reference-transaction",
  "pre-auto-gc",
  "fsmonitor-watchman",
];

function ran(opened: GitFixture): string {
  const file = join(opened.home, "ran");
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}

it("runs no program named in settings, attributes or hooks of a repository", async () => {
  await using opened = await openVictim();
  const payload = `'${opened.payload("payload", "exit 1")}'`;
  opened.configure(settingsWithPrograms(payload));
  for (const name of hooks)
    symlinkSync(join(opened.home, "payload"), join(opened.workspace, ".git/hooks", name));
  writeFileSync(join(opened.workspace, ".git/info/attributes"), "* merge=evil diff=evil\n");
  rmSync(join(opened.home, "ran"), { force: true });
  const errors: unknown[] = [];
  for (const [tool, input] of writings) errors.push((await opened.call(tool, input)).error);
  expect([errors, ran(opened)]).toEqual([writings.map(() => null), ""]);
  expect(() => opened.git("commit", "-q", "--allow-empty", "-m", "As a user")).toThrow();
  expect(ran(opened)).not.toBe("");
});

it("runs nothing from core.hooksPath, and reads no template from outside", async () => {
  await using opened = await openVictim();
  opened.payload("payload", "exit 1");
  mkdirSync(join(opened.workspace, "hooks"));
  for (const name of hooks) symlinkSync(join(opened.home, "payload"), join(opened.workspace, "hooks", name));
  writeFileSync(join(opened.home, "template"), "outside\n");
  opened.configure({ "core.hooksPath": "hooks", "commit.template": join(opened.home, "template") });
  const errors: unknown[] = [];
  for (const [tool, input] of writings) errors.push((await opened.call(tool, input)).error?.code);
  expect([errors, ran(opened), opened.git("log", "--format=%B", "main")]).toEqual([
    // The switch would write the hooks that the settings name.
    writings.map(([, input]) => ("name" in input && input.name === "other" ? "denied" : undefined)),
    "",
    expect.not.stringContaining("outside"),
  ]);
});

it.each(["clean", "smudge", "process"])(
  "runs no %s command of a filter, and stores nothing without it",
  async (way) => {
    await using opened = await openVictim();
    opened.configure({ [`filter.evil.${way}`]: `'${opened.payload("payload", "cat")}'` });
    writeFileSync(join(opened.workspace, ".git/info/attributes"), "*.txt filter=evil\n");
    rmSync(join(opened.home, "ran"), { force: true });
    const staged = await opened.call("git.stage", { all: true });
    const switched = await opened.call("git.branch", { name: "other", switch: true });
    const into = way === "smudge" ? undefined : "denied";
    const out = way === "clean" ? undefined : "denied";
    expect([staged.error?.code, switched.error?.code, ran(opened)]).toEqual([into, out, ""]);
  },
);

it("changes nothing in a different working tree that settings name", async () => {
  await using opened = await openVictim();
  const outside = join(opened.home, "outside");
  mkdirSync(outside);
  writeFileSync(join(outside, "b.txt"), "theirs\n");
  opened.configure({ "core.worktree": outside });
  await opened.call("git.branch", { name: "other", switch: true });
  const outcome = await opened.call("git.stage", { all: true });
  expect([outcome.content.includes("theirs"), readFileSync(join(outside, "b.txt"), "utf8")]).toEqual([
    false,
    "theirs\n",
  ]);
});

it("writes through no link in the repository", async () => {
  const names = [
    "index",
    "HEAD",
    "logs/HEAD",
    "logs/refs/heads/main",
    "refs/heads/main",
    "COMMIT_EDITMSG",
    "config",
  ];
  for (const entry of names) {
    await using opened = await openVictim();
    await opened.call("git.stage", { all: true });
    const outside = join(opened.home, "outside");
    const own = join(opened.workspace, ".git", entry);
    writeFileSync(outside, existsSync(own) ? readFileSync(own) : "");
    const before = readFileSync(outside);
    rmSync(own, { force: true });
    symlinkSync(outside, own);
    const codes: unknown[] = [];
    for (const [tool, input] of writings.slice(0, -1))
      codes.push((await opened.call(tool, input)).error === null ? "done" : "refused");
    expect([entry, codes, readFileSync(outside).equals(before)]).toEqual([
      entry,
      writings.slice(0, -1).map(() => "refused"),
      true,
    ]);
  }
});

it("resolves no conflict with rerere, for which a repository may name a program", async () => {
  await using opened = await openGitFixture({ files: { "a.txt": "one\n" }, sandbox: "none" });
  opened.sh(`git switch -q -c other
    echo theirs > a.txt
    git commit -q -a -m Theirs
    git switch -q main
    echo ours > a.txt
    git commit -q -a -m Ours
    git config rerere.enabled true
    ! git merge -q other
    echo both > a.txt
    git commit -q -a -m Both
    git reset -q --hard HEAD~1
    git config rerere.enabled false
    ! git merge -q other
    git add a.txt`);
  const [remembered] = readdirSync(join(opened.workspace, ".git/rr-cache"));
  writeFileSync(join(opened.workspace, ".git/MERGE_RR"), `${remembered}\ta.txt\0`);
  writeFileSync(join(opened.workspace, ".git/info/attributes"), "* merge=evil\n");
  opened.configure({ "merge.evil.driver": `'${opened.payload("payload")}'`, "rerere.enabled": "true" });
  const { error } = await opened.call("git.commit", { message: "Merged" });
  expect([error, ran(opened)]).toEqual([null, ""]);
  writeFileSync(join(opened.workspace, ".git/MERGE_RR"), `${remembered}\ta.txt\0`);
  opened.git("commit", "-q", "--allow-empty", "-m", "As a user");
  expect(ran(opened)).not.toBe("");
});
