import { appendFileSync, existsSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openGitFixture } from "../../test/support/git-tools/git-fixture.ts";
import { openLocalEnvironment } from "../environment/local/local-environment.ts";
import { overrideEnvironment } from "../lib/override-environment.ts";
import { findRepository, settingsText } from "./find-repository.ts";
import { runGit } from "./run-git.ts";

it("passes git only the settings that were checked, even if the file changes", { tags: "slow" }, async () => {
  await using fixture = await openGitFixture({
    files: { "a.txt": "one\n", ".gitattributes": "* filter=evil\n" },
  });
  const { workspace, home } = fixture;
  const sandbox = { want: "none", directory: join(home, "private") } as const;
  const environment = openLocalEnvironment({ workspace, sandbox });
  const context = { environment, signal: new AbortController().signal };
  const outputs: string[] = [];
  // First from git's own list, then from the parsed file.
  for (const _ of ["first", "again"]) {
    const { repository } = await findRepository(".", context);
    const { code } = await runGit(repository, ["var", "GIT_COMMITTER_IDENT"]);
    fixture.git("config", "filter.evil.clean", `'${fixture.payload("payload", "cat")}'`);
    utimesSync(join(workspace, "a.txt"), new Date(0), new Date(0));
    const { stdout } = await runGit(repository, ["status", "--porcelain=v2", "--branch"]);
    outputs.push(`${code} ${stdout.toString().split("\n")[1]} ${existsSync(join(home, "ran"))}`);
    fixture.git("config", "--remove-section", "filter.evil");
  }
  await environment.close();
  expect(outputs).toEqual(["0 # branch.head main false", "0 # branch.head main false"]);
});

it("lists the settings once for calls at the same time, and again when that fails", async () => {
  const find = async (calls: number, failures: Error[] = []) => {
    await using fixture = await openGitFixture({ files: { a: "one\n" } });
    const { workspace, home } = fixture;
    const sandbox = { want: "none", directory: join(home, "private") } as const;
    const environment = openLocalEnvironment({ workspace, sandbox });
    let listings = 0;
    const counting = overrideEnvironment(environment, {
      start: async (...given) => {
        listings += 1;
        const failure = failures.pop();
        if (failure) throw failure;
        return environment.start(...given);
      },
    });
    const context = { environment: counting, signal: new AbortController().signal };
    const found = await Promise.all(
      Array.from({ length: calls }, () => findRepository(".", context).then(({ path }) => path, String)),
    );
    await environment.close();
    return { found, listings };
  };
  expect(await find(2)).toEqual({ found: ["", ""], listings: 1 });
  const failure = new Error("no process");
  expect(await find(4, [failure])).toEqual({ found: [String(failure), "", "", ""], listings: 2 });
});

it("stops waiting for the listing of another call when it is cancelled", async () => {
  await using fixture = await openGitFixture({ files: { a: "one\n" } });
  const { workspace, home } = fixture;
  const sandbox = { want: "none", directory: join(home, "private") } as const;
  const environment = openLocalEnvironment({ workspace, sandbox });
  const [began, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const slow = overrideEnvironment(environment, {
    start: async (...given) => {
      began.resolve();
      await release.promise;
      return environment.start(...given);
    },
  });
  const first = findRepository(".", { environment: slow, signal: new AbortController().signal });
  await began.promise;
  const second = new AbortController();
  const waiting = findRepository(".", { environment, signal: second.signal });
  second.abort();
  await expect(waiting).rejects.toMatchObject({ code: "cancelled" });
  release.resolve();
  expect((await first).path).toBe("");
  await environment.close();
});

it("turns the user's filter off again when the repository no longer replaces a part of it", async () => {
  await using fixture = await openGitFixture({ files: { a: "one\n" } });
  const { workspace, home } = fixture;
  const settings = join(home, "user-settings");
  writeFileSync(settings, '[filter "lfs"]\n\tclean = user\n\tsmudge = user\n');
  const sandbox = { want: "none", directory: join(home, "private") } as const;
  const environment = openLocalEnvironment({ workspace, sandbox });
  const ofUser = overrideEnvironment(environment, {
    start: (program, options) =>
      environment.start(program, { ...options, env: { ...options.env, GIT_CONFIG_GLOBAL: settings } }),
  });
  const context = { environment: ofUser, signal: new AbortController().signal };
  const filters = async () =>
    (await findRepository(".", context)).repository.filters.map(({ name, from }) => [name, from]);
  fixture.git("config", "filter.lfs.smudge", "theirs");
  expect(await filters()).toEqual([["lfs", "repository"]]);
  fixture.git("config", "--remove-section", "filter.lfs");
  expect([await filters(), await filters()]).toEqual([[["lfs", "user"]], [["lfs", "user"]]]);
  await environment.close();
});

it("writes settings in git's list format, without filters and other files", async () => {
  await using fixture = await openGitFixture();
  const { workspace } = fixture;
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
  fixture.git("config", "--worktree", "core.autocrlf", "input");
  const listing = fixture.git("config", "--list", "-z", "--show-scope");
  const copy = join(fixture.home, "copy");
  writeFileSync(copy, settingsText(listing));
  const without = /^(?:filter|include|includeif)\.|^extensions\.worktreeconfig/;
  const wanted = listing.split("\0").filter((field, at) => at % 2 === 1 && !without.test(field));
  expect(fixture.git("config", "--file", copy, "--list", "-z").split("\0").slice(0, -1)).toEqual(wanted);
});
