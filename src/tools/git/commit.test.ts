import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  type GitFixture,
  openGitFixture,
  type Worktree,
} from "../../../test/support/git-tools/git-fixture.ts";
import type { CallEvent, CallResult } from "../../toolcrib/index.ts";

const refusal = ({ error }: CallResult) => error && [error.code, error.message];
const log = (opened: GitFixture) => opened.git("log", "--format=%s").split("\n");

/** A fixture with a staged change. */
async function openStaged(options: Parameters<typeof openGitFixture>[0] = {}): Promise<GitFixture> {
  return openGitFixture({ files: { a: "1\n" }, prepare: stageChanges, ...options });
}

function stageChanges({ git, write }: Worktree): void {
  write({ a: "2\n", "sub/new": "n\n" });
  git("add", "-A");
}

it("commits staged changes, and returns the hash, the branch and the files", { tags: "slow" }, async () => {
  await using opened = await openStaged({ sandbox: "auto" });
  opened.write({ a: "3\n" });
  const { content, data } = await opened.call("git.commit", { message: "Change a\n\nAnd more." });
  const hash = opened.commitOf("HEAD");
  expect({
    content,
    data,
    left: opened.git("status", "--short"),
    body: opened.git("log", "-1", "--format=%B"),
  }).toEqual({
    content:
      `Committed ${hash.slice(0, 7)} on main: Change a\n2 files changed, +2 -1\n  a +1 -1\n  sub/new +1 -0\n` +
      "To undo: `git reset --soft HEAD~1`.",
    data: {
      hash,
      short: hash.slice(0, 7),
      branch: "main",
      subject: "Change a",
      files: [
        { path: "a", additions: 1, deletions: 1 },
        { path: "sub/new", additions: 1, deletions: 0 },
      ],
      signed: false,
      hooks: [],
      said: "",
      skippedHooks: [],
      notes: [],
    },
    left: " M a",
    body: "Change a\n\nAnd more.\n",
  });
});

it("explains on undo how to revert the commit", { tags: "slow" }, async () => {
  await using opened = await openStaged();
  const { callId } = await opened.call("git.commit", { message: "x" });
  const { error } = await opened.call("journal.undo", { call: callId });
  const hash = opened.commitOf("HEAD").slice(0, 7);
  expect(error).toEqual({
    code: "not-found",
    message: "There is nothing to undo: no files were changed",
    hint: `Not covered by undo: the commit ${hash}: \`git reset --soft HEAD~1\` undoes it and keeps its changes staged.`,
  });
});

it("reports that nothing is staged", async () => {
  await using opened = await openGitFixture({ files: { a: "1\n" } });
  const clean = await opened.call("git.commit", { message: "x" });
  opened.write({ a: "2\n" });
  const changed = await opened.call("git.commit", { message: "x" });
  expect([clean.error, changed.error]).toEqual([
    {
      code: "not-found",
      message: "There is nothing to commit",
      hint: "Change a file first.",
    },
    {
      code: "not-found",
      message: "Nothing is staged",
      hint: "Stage changes first (git.stage): 1 file changed.",
    },
  ]);
});

it("creates the first commit, and one on a detached HEAD", { tags: "slow" }, async () => {
  await using opened = await openGitFixture();
  opened.write({ a: "1\n" });
  opened.git("add", "a");
  const first = await opened.call("git.commit", { message: "First" });
  opened.write({ a: "2\n" });
  opened.sh("git switch -q --detach && git add a");
  const second = await opened.call("git.commit", { message: "Second" });
  expect(
    [first, second].map(({ content }) =>
      content.split("\n").filter((line) => /^(?:Comm|To undo)/.test(line)),
    ),
  ).toEqual([
    [`Committed ${opened.commitOf("main").slice(0, 7)} on main: First`, "To undo: `git update-ref -d HEAD`."],
    [
      `Committed ${opened.commitOf("HEAD").slice(0, 7)} on no branch (HEAD is detached): Second`,
      "To undo: `git reset --soft HEAD~1`.",
    ],
  ]);
});

it("uses any message literally", { tags: "slow" }, async () => {
  await using opened = await openStaged();
  const messages = [
    "--amend",
    "-S",
    "# no comment",
    "@file",
    "$(touch x) `y` \\n",
    "über ☃\n\n# kept\n--trailer=x",
  ];
  for (const [at, message] of messages.entries()) {
    opened.write({ a: `${at}\n` });
    opened.git("add", "a");
    await opened.call("git.commit", { message });
  }
  const written = opened.git("log", "--reverse", "--format=%B%x00").split("\0\n");
  expect(written.slice(1)).toEqual([
    ...messages.slice(0, -1).map((text) => `${text}\n`),
    `${messages.at(-1)}\n\0`,
  ]);
});

it("requires a message", async () => {
  await using opened = await openStaged();
  expect([
    refusal(await opened.call("git.commit", {})),
    refusal(await opened.call("git.commit", { message: " \n" })),
    (await opened.call("git.commit", { message: "a\0b" })).error?.code,
    log(opened),
  ]).toEqual([
    ["invalid-input", "A commit needs a message"],
    ["invalid-input", "A commit needs a message"],
    "invalid-input",
    ["First"],
  ]);
});

it("commits as the author in git's settings, and never guesses one", { tags: "slow" }, async () => {
  await using opened = await openStaged();
  opened.configure({ "user.name": "" });
  const refused = await opened.call("git.commit", { message: "x" });
  opened.configure({ "user.name": "Grace" });
  await opened.call("git.commit", { message: "x" });
  expect([refused.error, opened.git("log", "-1", "--format=%an <%ae> %cn")]).toEqual([
    {
      code: "unavailable",
      message: "The commit has no author: git's user.name is not set",
      hint: 'Ask the user to run: git config --global user.name "Your Name"',
    },
    "Grace <ada@example.org> Grace",
  ]);
});

describe("amend", () => {
  it("replaces the last commit, with its message or a new one", { tags: "slow" }, async () => {
    await using opened = await openStaged();
    const before = opened.commitOf("HEAD");
    const kept = await opened.call("git.commit", { amend: true });
    const words = log(opened);
    await opened.call("git.commit", { amend: true, message: "Other" });
    expect([kept.content.split("\n").at(-1), words, log(opened)]).toEqual([
      `To undo: \`git reset --soft ${before.slice(0, 12)}\`.`,
      ["First"],
      ["Other"],
    ]);
  });

  it("refuses to replace a published or missing commit", { tags: "slow" }, async () => {
    await using opened = await openStaged();
    opened.git("update-ref", "refs/remotes/origin/main", "HEAD");
    await using empty = await openGitFixture();
    expect([
      refusal(await opened.call("git.commit", { amend: true, message: "x" })),
      refusal(await empty.call("git.commit", { amend: true })),
    ]).toEqual([
      ["denied", "Cannot amend the last commit: it is already on origin/main"],
      ["not-found", "There is no commit to amend"],
    ]);
  });
});

it("concludes a merge when its conflicts are resolved", { tags: "slow" }, async () => {
  await using opened = await openGitFixture({ files: { a: "1\n" } });
  opened.sh(`git switch -q -c other
    echo other > a
    git commit -q -a -m Other
    git switch -q main
    echo main > a
    git commit -q -a -m Main
    ! git merge -q other`);
  const refused = await opened.call("git.commit", { message: "Merge" });
  opened.write({ a: "main\n" });
  await opened.call("git.stage", { paths: ["a"] });
  const amended = await opened.call("git.commit", { amend: true });
  await opened.call("git.commit", { message: "Merge" });
  expect([
    refusal(refused),
    refusal(amended),
    opened.git("log", "-1", "--format=%s of %P").split(" ").length,
  ]).toEqual([
    ["unsupported", "There are unresolved conflicts in a"],
    ["unsupported", "Cannot amend during a merge"],
    4,
  ]);
});

/** A hook that tries to write outside, then runs `script`. */
function hook(opened: GitFixture, name: string, script = "", folder = ".git/hooks"): void {
  const path = join(opened.workspace, folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(
    path,
    `#!/bin/sh\necho "${name} runs"\ntouch '${opened.home}/escaped' 2>/dev/null\n${script}\n`,
  );
  chmodSync(path, 0o755);
}

/** With a sandbox, hooks run in it even if a rule allows them to run outside. */
const allowing = {
  lines: "allow run git hook run *\nunconfined run git hook run *",
  sandbox: "auto",
} as const;

/** A signal that aborts when this becomes true. */
function abortedBy(isReached: () => boolean): { readonly signal: AbortSignal; abort(): void } {
  const controller = new AbortController();
  const abort = () => {
    clearInterval(watching);
    controller.abort();
  };
  const watching = setInterval(() => {
    if (isReached()) abort();
  }, 20);
  return { signal: controller.signal, abort };
}

async function isHeld(opened: GitFixture): Promise<boolean> {
  return (await opened.crib.sandbox()).level !== "none";
}

describe("hooks", () => {
  it.each([
    { name: "pre-commit", subject: "First", says: "no commit" },
    { name: "post-commit", subject: "x", says: "the commit" },
  ])(
    "a cancelled call reports $says at once while $name runs, and in its error",
    {
      tags: "slow",
    },
    async ({ name, subject }) => {
      await using opened = await openStaged(allowing);
      const before = opened.commitOf("HEAD");
      const { signal, abort } = abortedBy(() => existsSync(join(opened.workspace, "reached")));
      hook(opened, name, "touch reached; trap '' TERM; sleep 300");
      const emitted: string[] = [];
      const onEvent = (event: CallEvent) => {
        if (event.type === "tool-output") emitted.push(event.text);
      };
      const { error } = await opened.crib.call("git.commit", { message: "x" }, { signal, onEvent });
      abort();
      const made = opened.commitOf("HEAD");
      const back = `git reset --soft ${before.slice(0, 12)}`;
      const mention = `The commit ${made.slice(0, 10)} was already made. To undo it: ${back}\n`;
      const isMade = subject === "x";
      expect([error?.code, error?.output, emitted, opened.git("log", "-1", "--format=%s")]).toEqual([
        "cancelled",
        isMade ? mention : undefined,
        isMade ? [mention] : [],
        subject,
      ]);
    },
  );

  it("do not run unless a rule allows it, and the answer names them and the rule", async () => {
    await using opened = await openStaged({ sandbox: "auto" });
    hook(opened, "pre-commit", "exit 1");
    hook(opened, "post-commit");
    hook(opened, "pre-push");
    writeFileSync(join(opened.workspace, ".git/hooks/commit-msg"), "not executable");
    const { data, content } = await opened.call("git.commit", { message: "x" });
    const rules = (await isHeld(opened))
      ? 'the rule "allow run git hook run *"'
      : 'the rules "allow run git hook run *" and, without a sandbox, "unconfined run git hook run *"';
    const note = `Not run: the hooks pre-commit, post-commit. To allow it, add ${rules}.`;
    expect([data, content.includes(`\n${note}\n`), existsSync(join(opened.home, "escaped"))]).toMatchObject([
      { hooks: [], skippedHooks: ["pre-commit", "post-commit"], notes: [note], said: "" },
      true,
      false,
    ]);
  });

  it.each([
    { place: "in the sandbox", options: {} },
    { place: "without a sandbox", options: { sandbox: "none" } },
  ] as const)("run $place if rules allow it", { tags: "slow" }, async ({ options }) => {
    await using opened = await openStaged({ ...allowing, ...options });
    hook(
      opened,
      "pre-commit",
      "git diff --cached --name-only -- 'sub/*'; echo formatted > a; git add a; touch made",
    );
    hook(opened, "commit-msg", 'echo "checked" >> "$1"');
    const call = await opened.call("git.commit", { message: "x" });
    await opened.call("journal.undo", { call: call.callId });
    expect([
      call.data,
      opened.git("show", "HEAD:a"),
      opened.git("log", "-1", "--format=%B"),
      ["escaped", "work space/made"].map((name) => existsSync(join(opened.home, name))),
      readFileSync(join(opened.workspace, "a"), "utf8"),
    ]).toMatchObject([
      {
        hooks: ["pre-commit", "commit-msg"],
        skippedHooks: [],
        said: "pre-commit runs\nsub/new\ncommit-msg runs\n",
      },
      "formatted",
      "x\nchecked\n",
      [!(await isHeld(opened)), false],
      "2\n",
    ]);
  });

  it("that fail prevent the commit, and the error shows why", { tags: "slow" }, async () => {
    await using opened = await openStaged(allowing);
    hook(opened, "pre-commit", "echo 'a:1 is wrong' >&2; exit 3");
    const { error } = await opened.call("git.commit", { message: "x" });
    expect([error, log(opened)]).toEqual([
      {
        code: "denied",
        message: "Nothing was committed: a git hook refused the commit",
        hint: "Fix what the hook reports, stage it (git.stage) and commit again.",
        output: "pre-commit runs\na:1 is wrong\n",
      },
      ["First"],
    ]);
  });

  it("run only from folders where tools need approval to write", { tags: "slow" }, async () => {
    await using opened = await openStaged(allowing);
    const notes: unknown[] = [];
    for (const folder of ["tools/hooks", ".husky/_"]) {
      hook(opened, "pre-commit", "", folder);
      opened.configure({ "core.hooksPath": folder });
      const { data } = await opened.call("git.commit", { message: folder, amend: true });
      notes.push((data as { notes: unknown }).notes);
    }
    const outside = join(opened.home, "hooks");
    hook(opened, "pre-commit", "", "../hooks");
    opened.configure({ "core.hooksPath": outside });
    const { data } = await opened.call("git.commit", { message: "outside", amend: true });
    expect([...notes, (data as { notes: unknown }).notes]).toEqual([
      [
        `Not run: the hook pre-commit in ${opened.workspace}/tools/hooks, where tools may write without approval.`,
      ],
      [],
      [`No hooks were run: the repository's settings name a folder outside, ${outside}.`],
    ]);
  });

  it("cannot stage a file whose filter may not run", { tags: "slow" }, async () => {
    await using opened = await openStaged(allowing);
    opened.configure({ "filter.up.clean": "tr a-z A-Z" });
    opened.write({ ".gitattributes": "*.up filter=up\n", "x.up": "x\n" });
    hook(opened, "pre-commit", "git add x.up || exit 1");
    const { error } = await opened.call("git.commit", { message: "x" });
    expect([error?.output, log(opened)]).toEqual([
      "pre-commit runs\nfatal: x.up: clean filter 'up' failed\n",
      ["First"],
    ]);
  });
});

it("appends to no file behind a link in the repository", async () => {
  await using opened = await openStaged();
  const outside = join(opened.home, "outside");
  writeFileSync(outside, "");
  rmSync(join(opened.workspace, ".git/logs/HEAD"));
  symlinkSync(outside, join(opened.workspace, ".git/logs/HEAD"));
  const refused = await opened.call("git.commit", { message: "x\n$(evil)" });
  expect([refusal(refused), readFileSync(outside, "utf8")]).toEqual([
    ["denied", `${opened.workspace}/.git/logs/HEAD is a link, and git would write to its target`],
    "",
  ]);
});

it("signs nothing on the request of a repository", async () => {
  await using opened = await openStaged();
  opened.configure({ "commit.gpgSign": "true", "gpg.program": opened.payload("gpg") });
  const { data } = await opened.call("git.commit", { message: "x" });
  expect([data, existsSync(join(opened.home, "ran"))]).toMatchObject([
    {
      signed: false,
      notes: [
        "Not signed: the repository sets commit.gpgsign, and only the user's own settings may decide about signing.",
      ],
    },
    false,
  ]);
});

it("needs approval in mode safe, and passes in mode cautious like other writes", {
  tags: "slow",
}, async () => {
  const verdicts: unknown[] = [];
  for (const mode of ["safe", "cautious", "paranoid", "yolo"] as const) {
    await using opened = await openStaged({ mode });
    const codes = [];
    for (const [tool, input] of [
      ["git.stage", { all: true }],
      ["git.commit", { message: "x" }],
      ["git.branch", { name: "b" }],
      ["git.branch", { name: "b", switch: true }],
      ["git.branch", { name: "main", switch: true }],
      ["git.branch", { name: "b", delete: true, force: true }],
      ["git.branch", {}],
    ] as const)
      codes.push((await opened.call(tool, input)).error?.code ?? "passes");
    verdicts.push(codes);
  }
  const asks = "needs-approval";
  expect(verdicts).toEqual([
    [asks, asks, asks, asks, asks, asks, "passes"],
    ["passes", "passes", "passes", "passes", "passes", asks, "passes"],
    [asks, asks, asks, asks, asks, asks, asks],
    ["passes", "passes", "passes", "passes", "passes", "passes", "passes"],
  ]);
});

it("shows the user who approves it what it would do", async () => {
  const shown: unknown[] = [];
  await using opened = await openStaged({
    mode: "safe",
    approve: ({ preview }) => {
      shown.push(preview);
      return { allow: false };
    },
  });
  for (const [tool, input] of [
    ["git.commit", { message: "Change a" }],
    ["git.commit", { amend: true }],
    ["git.branch", { name: "b" }],
    ["git.branch", { name: "b", switch: true }],
    ["git.branch", { name: "b", delete: true, force: true }],
  ] as const)
    await opened.call(tool, input);
  expect(shown).toEqual([
    "Would commit what is staged, with this message:\nChange a",
    "Would replace the last commit by one with what is staged; its message stays.",
    "Would create the branch b from HEAD.",
    "Would switch to the branch b, which changes files.",
    "Would delete the branch b, also where its commits are not merged.",
  ]);
});

it("runs alongside the user's git", { tags: "slow" }, async () => {
  await using opened = await openStaged();
  const others = Array.from({ length: 5 }, (_, at) => `other${at}`);
  const beside = others.map((name) =>
    opened.call("git.branch", { name }).then(({ error }) => error?.code ?? "made"),
  );
  execFileSync("git", ["status"], { cwd: opened.workspace });
  const committed = await opened.call("git.commit", { message: "x" });
  expect([committed.error, await Promise.all(beside)]).toEqual([null, others.map(() => "made")]);
});
