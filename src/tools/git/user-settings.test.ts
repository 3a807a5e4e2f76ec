/** @module-tag slow */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundledProgram } from "../../../test/support/bundled-program.ts";
import {
  type GitFixture,
  type GitFixtureOptions,
  openGitFixture,
} from "../../../test/support/git-tools/git-fixture.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import type { CallResult } from "../../toolcrib/index.ts";
import type { GitCommitData } from "./commit.ts";

const program = await bundledProgram(new URL("../../../test/support/git-tools/call-as.ts", import.meta.url));

/** The home of the user, and a process that makes calls for this user: git finds the settings by HOME. */
const home = temporaryFolder();
let caller: ChildProcess;

beforeAll(() => {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  caller = fork(program, { env: { PATH, NODE_COMPILE_CACHE, HOME: home.path } });
});

afterAll(async () => {
  const exited = once(caller, "exit");
  caller.disconnect();
  await exited;
  await home[Symbol.asyncDispose]();
});

/** A repository that leaves signing and hooks to the settings of the user. */
function openPlain(options: GitFixtureOptions = {}): Promise<GitFixture> {
  const settings = { "user.name": "Ada", "user.email": "ada@example.org" };
  return openGitFixture({ files: { a: "1\n" }, settings, sandbox: "auto", ...options });
}

/** Commits the changes, for a user with these git settings. */
async function commitAs(
  opened: GitFixture,
  settings: string,
): Promise<{ readonly committed: CallResult; readonly data: GitCommitData }> {
  writeFileSync(join(home.path, ".gitconfig"), settings);
  opened.write({ a: `${Math.random()}\n` });
  const calls = [
    ["git.stage", { all: true }],
    ["git.commit", { message: "Second" }],
  ];
  const answered = once(caller, "message");
  caller.send({ workspace: opened.workspace, home: opened.home, calls });
  const [[, committed]] = (await answered) as [readonly [CallResult, CallResult]];
  return { committed, data: committed.data as GitCommitData };
}

/** A program that signs anything. */
const signer =
  'cat > /dev/null\nprintf "\\n[GNUPG:] SIG_CREATED D\\n" >&2\necho "-----BEGIN PGP SIGNATURE-----"\necho\necho "-----END PGP SIGNATURE-----"';

const signing = (gpg: string) => `[commit]\n\tgpgSign = true\n[gpg]\n\tprogram = ${JSON.stringify(gpg)}\n`;

describe("settings of the user", () => {
  it("provide the author if the repository does not", { tags: "slow" }, async () => {
    await using opened = await openPlain({ settings: { "user.email": "ada@example.org" } });
    await commitAs(opened, "[user]\n\tname = Grace Hopper\n\temail = other@example.org\n");
    expect(opened.git("log", "-1", "--format=%an <%ae>")).toBe("Grace Hopper <ada@example.org>");
  });

  it("sign commits with the user's program", { tags: "slow" }, async () => {
    await using opened = await openPlain();
    const { committed, data } = await commitAs(opened, signing(opened.payload("signer", signer)));
    expect([committed.error, data.signed, data.notes, opened.git("cat-file", "commit", "HEAD")]).toEqual([
      null,
      true,
      [],
      expect.stringContaining("gpgsig -----BEGIN PGP SIGNATURE-----"),
    ]);
    const like = (hash: string) => opened.git("log", "-1", "--format=%T %P %an %ae %at %cn %ce %ct %B", hash);
    expect([like("HEAD"), opened.git("status", "--porcelain")]).toEqual([like("HEAD@{1}"), ""]);
  });

  it("do not revert a merge that could not be signed", { tags: "slow" }, async () => {
    await using opened = await openPlain();
    opened.sh(`git switch -q -c other
      git commit -q --allow-empty -m Other
      git switch -q main
      git merge -q --no-ff --no-commit other`);
    const { committed } = await commitAs(opened, signing(opened.payload("signer", "exit 2")));
    expect([
      committed.error,
      opened.git("log", "-1", "--format=%s"),
      opened.git("rev-parse", "HEAD^2"),
    ]).toEqual([
      expect.objectContaining({
        code: "unavailable",
        hint: "Ask the user to run: git commit --amend --no-edit -S",
      }),
      "Second",
      opened.commitOf("other"),
    ]);
  });

  it("prevent a commit that could not be signed", { tags: "slow" }, async () => {
    await using opened = await openPlain();
    const { committed } = await commitAs(opened, signing(opened.payload("signer", "exit 2")));
    expect([committed.error, opened.git("log", "--format=%s")]).toMatchObject([
      {
        code: "unavailable",
        message: "Nothing was committed: git could not sign the commit",
        hint: "Ask the user to unlock the signing key, then commit again.",
      },
      "First",
    ]);
  });

  it("sign nothing with a program or key that the repository names", async () => {
    await using opened = await openPlain();
    opened.configure({ "gpg.program": opened.payload("theirs", signer) });
    const { data } = await commitAs(opened, signing(opened.payload("signer", signer)));
    expect([data.signed, data.notes, existsSync(join(opened.home, "ran"))]).toEqual([
      false,
      [
        "Not signed: the repository sets gpg.program, and only the user's own settings may decide about signing.",
      ],
      false,
    ]);
  });

  it("can name global hooks, which run by rule", { tags: "slow" }, async () => {
    const lines = "allow run git hook run *\nunconfined run git hook run *";
    await using opened = await openPlain({ lines });
    mkdirSync(join(home.path, "hooks"));
    writeFileSync(join(home.path, "hooks/pre-commit"), "#!/bin/sh\necho own hook\necho x >> hooked\n", {
      mode: 0o755,
    });
    const settings = `[core]\n\thooksPath = ~/hooks\n${signing(opened.payload("signer", signer))}`;
    const { data } = await commitAs(opened, settings);
    expect([
      data.hooks,
      data.said,
      data.notes,
      readFileSync(join(opened.workspace, "hooked"), "utf8"),
    ]).toEqual([
      ["pre-commit"],
      "own hook\n",
      [
        "Not signed: hooks ran in the sandbox, which has no keys. To sign it: git commit --amend --no-edit -S",
      ],
      "x\n",
    ]);
  });
});
