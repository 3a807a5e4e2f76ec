import { appendFileSync, existsSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openGitFixture } from "../../test/support/git-tools/git-fixture.ts";
import { openLocalEnvironment } from "../environment/local/local-environment.ts";
import { findRepository, settingsText } from "./find-repository.ts";
import { runGit } from "./run-git.ts";

it("lets git read no settings but those that were judged, whatever stands there by then", async () => {
  await using room = await openGitFixture({
    files: { "a.txt": "one\n", ".gitattributes": "* filter=evil\n" },
  });
  const { workspace, home } = room;
  const sandbox = { want: "none", directory: join(home, "private") } as const;
  const environment = openLocalEnvironment({ workspace, sandbox });
  const context = { environment, signal: new AbortController().signal };
  const said: string[] = [];
  // By what git lists, and by what we have read.
  for (const _ of ["first", "again"]) {
    const { repository } = await findRepository(".", context);
    const { code } = await runGit(repository, ["var", "GIT_COMMITTER_IDENT"]);
    room.git("config", "filter.evil.clean", `'${room.payload("payload", "cat")}'`);
    utimesSync(join(workspace, "a.txt"), new Date(0), new Date(0));
    const { stdout } = await runGit(repository, ["status", "--porcelain=v2", "--branch"]);
    said.push(`${code} ${stdout.toString().split("\n")[1]} ${existsSync(join(home, "ran"))}`);
    room.git("config", "--remove-section", "filter.evil");
  }
  await environment.close();
  expect(said).toEqual(["0 # branch.head main false", "0 # branch.head main false"]);
});

it("writes down settings as git has listed them, without filters and other files", async () => {
  await using room = await openGitFixture();
  const { workspace } = room;
  mkdirSync(join(workspace, "more"));
  writeFileSync(join(workspace, "more/included"), "[core]\n\tignorecase\n");
  appendFileSync(
    join(workspace, ".git/config"),
    [
      '[remote "a \\"b\\\\ c.d"]\n\turl = "one;two \\"three\\" \\\\ four\\n five\\t "',
      "[extensions]\n\tworktreeConfig = true\n[core]\n\trepositoryFormatVersion = 1",
      '[filter "x.y"]\n\tclean = payload\n\trequired',
      '[include]\n\tpath = ../more/included\n[includeIf "gitdir:/"]\n\tpath = nowhere\n[a ""]\n\tb =\n',
    ].join("\n"),
  );
  room.git("config", "--worktree", "core.autocrlf", "input");
  const listing = room.git("config", "--list", "-z", "--show-scope");
  const copy = join(room.home, "copy");
  writeFileSync(copy, settingsText(listing));
  const without = /^(?:filter|include|includeif)\.|^extensions\.worktreeconfig/;
  const wanted = listing.split("\0").filter((field, at) => at % 2 === 1 && !without.test(field));
  expect(room.git("config", "--file", copy, "--list", "-z").split("\0").slice(0, -1)).toEqual(wanted);
});
