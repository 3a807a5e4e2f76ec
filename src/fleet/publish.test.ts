import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { resultWith, specOf } from "../../test/support/fleet/examples.ts";
import { runWith } from "../../test/support/fleet/fixtures.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import type { Run, RunSpec } from "./fleet.ts";
import { type PublishOptions, publishRuns } from "./publish.ts";

const folder = temporaryFolder();
const repository = join(folder.path, "parser");
const publish = { branch: "fleet/{task}", message: "Fix the parser\n\nNumbers may have an exponent." };
let patch = "";
let base = "";
let folders = 0;

beforeAll(() => {
  mkdirSync(repository);
  git("init", "-q", "-b", "main");
  writeFileSync(join(repository, "a.txt"), "one\ntwo\n");
  git("add", ".");
  git("commit", "-qm", "Begin");
  base = git("rev-parse", "HEAD").trim();
  writeFileSync(join(repository, "a.txt"), "one\nthree\n");
  writeFileSync(join(repository, "new.bin"), Buffer.from([0, 1, 2, 255]));
  git("add", "-N", ".");
  patch = git("diff", "--binary");
  git("reset", "-q", "--hard");
  writeFileSync(join(folder.path, "user-config"), "[user]\nname = Ada\nemail = ada@example.com\n");
  vi.stubEnv("GIT_CONFIG_GLOBAL", join(folder.path, "user-config"));
});
afterEach(() => vi.stubEnv("GIT_CONFIG_GLOBAL", join(folder.path, "user-config")));
afterAll(async () => {
  vi.unstubAllEnvs();
  await folder[Symbol.asyncDispose]();
});

function git(...words: readonly string[]): string {
  return gitIn(repository, ...words);
}

function gitIn(path: string, ...words: readonly string[]): string {
  const author = ["-c", "user.name=Test", "-c", "user.email=test@example.com"];
  return execFileSync("git", [...author, ...words], { cwd: path, encoding: "utf8" });
}

function solved(task: string, change: Partial<RunSpec> = {}): Run {
  return runWith({
    id: `run_${task.replace(/\W/g, "").toLowerCase()}`,
    spec: specOf(task, { repository, publish, ...change }),
    state: "ended",
    outcome: "solved",
    endedAt: Date.UTC(2026, 10, 17),
    result: { ...resultWith("Done."), base, patch: { files: 2, added: 1, removed: 1 } },
  });
}

async function publishTo(target: string, runs: readonly Run[], change: Partial<PublishOptions> = {}) {
  const { signal } = new AbortController();
  return publishRuns(runs, { folder: target, readPatch: async () => Buffer.from(patch), signal, ...change });
}

function newFolder(): string {
  return join(folder.path, `published ${++folders}`);
}

it("makes a branch and a commit by the user for each solved run that publishes", async () => {
  const target = newFolder();
  const others = [
    { ...solved("unsolved"), outcome: "unsolved" as const },
    solved("private", { publish: null }),
    { ...solved("empty"), result: resultWith("") },
  ];
  const [published, ...more] = await publishTo(target, [solved("parser 7"), ...others]);
  expect(more).toEqual([]);
  expect(published).toMatchObject({ state: "new", branch: "fleet/parser-7", message: null });
  const [mirror] = readdirSync(target).filter((name) => name.endsWith(".git"));
  const shown = gitIn(join(target, mirror!), "log", "-1", "--format=%an <%ae>|%cn|%s|%b", "fleet/parser-7");
  expect(shown.trim()).toBe("Ada <ada@example.com>|Ada|Fix the parser|Numbers may have an exponent.");
  expect(gitIn(join(target, mirror!), "diff", "--binary", "main", "fleet/parser-7")).toBe(patch);
  expect(readFileSync(published!.patch!, "utf8")).toBe(patch);
  expect(JSON.parse(readFileSync(join(target, "published.json"), "utf8"))).toEqual([published]);
  expect(git("branch", "--list").trim()).toBe("* main");
});

it("commits on the revision that the run started from, also when the repository has moved on", {
  tags: "slow",
}, async () => {
  const target = newFolder();
  await publishTo(target, [solved("first")]);
  git("checkout", "-q", "-b", "later");
  writeFileSync(join(repository, "a.txt"), "everything is different\n");
  git("commit", "-qam", "Later");
  const later = git("rev-parse", "HEAD").trim();
  git("commit", "-q", "--allow-empty", "-m", "Latest");
  const onLater = solved("second");
  const patchOfLater = patch
    .slice(0, patch.indexOf("diff --git a/new.bin"))
    .replace(/@@.*/s, "@@ -1 +1 @@\n-everything is different\n+new\n")
    .replace(/^index .*\n/m, "");
  const [second] = await publishTo(target, [{ ...onLater, result: { ...onLater.result!, base: later } }], {
    readPatch: async () => Buffer.from(patchOfLater),
  });
  const [first] = await publishTo(target, [solved("third")]);
  git("checkout", "-q", "main");
  git("branch", "-q", "-D", "later");
  expect([second, first].map((each) => [each?.state, each?.message])).toEqual([
    ["new", null],
    ["new", null],
  ]);
  const [published] = readdirSync(target).filter((name) => name.endsWith(".git"));
  const parents = ["fleet/second", "fleet/third"].map((branch) =>
    gitIn(join(target, published!), "rev-parse", `${branch}^`).trim(),
  );
  expect(parents).toEqual([later, base]);
});

it("reports a run whose commit is gone or is not a commit", async () => {
  const runs = ["0".repeat(40), "--upload-pack=touch owned", "HEAD"].map((wrong, index) => {
    const run = solved(`gone ${index}`);
    return { ...run, result: { ...run.result!, base: wrong } };
  });
  const published = await publishTo(newFolder(), runs);
  const unnamed = "The result does not name the commit that the run started from.";
  expect(published.map(({ message }) => message)).toEqual([
    `The repository no longer has the commit ${"0".repeat(40)} of the run.`,
    ...[unnamed, unnamed],
  ]);
});

it("does nothing twice, and never moves a branch", { tags: "slow" }, async () => {
  const target = newFolder();
  const log = join(folder.path, `pushes ${folders}`);
  const pushCommand = `echo "$TOOLCRIB_BRANCH" >> '${log}'`;
  await publishTo(target, [solved("one")], { pushCommand });
  expect(await publishTo(target, [solved("one")], { pushCommand })).toMatchObject([{ state: "same" }]);
  expect(readFileSync(log, "utf8")).toBe("fleet/one\n");
  const changed = solved("one", { publish: { ...publish, message: "Another message" } });
  expect(await publishTo(target, [changed])).toMatchObject([
    { state: "failed", message: "The branch fleet/one exists with another commit." },
  ]);
});

it("refuses a branch that the repository has, and a name that git forbids", { tags: "slow" }, async () => {
  const onMain = solved("x", { publish: { branch: "{task}", message: "m" }, task: "main" });
  const odd = solved("y", { publish: { branch: "-{task}..lock", message: "m" } });
  const published = await publishTo(newFolder(), [onMain, odd]);
  expect(published.map(({ state }) => state)).toEqual(["failed", "failed"]);
  expect(git("log", "--format=%s").trim()).toBe("Begin");
});

it.each(["+main", "refs/heads/{task}", "heads/{task}"])(
  "refuses the branch %s of a changed row",
  async (branch) => {
    const [published] = await publishTo(newFolder(), [solved("x", { publish: { branch, message: "m" } })]);
    expect(published).toMatchObject({
      state: "failed",
      message: expect.stringContaining("cannot be the name"),
    });
  },
);

it("writes its files in its own folder, whatever the id of a changed row is", async () => {
  const target = newFolder();
  const id = "../../outside";
  expect(await publishTo(target, [{ ...solved("x"), id }])).toMatchObject([{ state: "new" }]);
  expect(readdirSync(join(target, "patches"))).toEqual([expect.stringMatching(/^outside~\w+\.patch$/)]);
  expect(readdirSync(folder.path).filter((name) => name.startsWith("outside"))).toEqual([]);
});

it("runs the user's command in the repository, with names and texts as variables only", async () => {
  const evidence = join(folder.path, "evidence");
  const hostile = `$(touch '${evidence}'); \`touch '${evidence}'\` " '`;
  const run = solved(hostile, { publish: { branch: "fleet/{task}", message: `${hostile}\n\nbody` } });
  const pushCommand = `git rev-parse -q --verify "refs/heads/$TOOLCRIB_BRANCH" >/dev/null && printf '%s|%s' "$TOOLCRIB_TITLE" "$TOOLCRIB_BODY"`;
  const [published] = await publishTo(newFolder(), [{ ...run, id: "run_hostile" }], { pushCommand });
  expect(published).toMatchObject({ state: "new", message: `${hostile}|body\n\nDone.` });
  expect(existsSync(evidence)).toBe(false);
});

it("tries again what the user's command has refused", { tags: "slow" }, async () => {
  const target = newFolder();
  const pushCommand = "echo no network >&2; exit 7";
  expect(await publishTo(target, [solved("one")], { pushCommand })).toMatchObject([
    { state: "failed", message: "The command ended with 7: no network" },
  ]);
  expect(await publishTo(target, [solved("one")], { pushCommand: "true" })).toMatchObject([{ state: "new" }]);
});

it("reports a patch that does not apply or leaves the repository, and publishes the others", {
  tags: "slow",
}, async () => {
  const outside = patch.replaceAll("a.txt", "../outside.txt");
  const patches = [patch.replace("-two", "-zwei"), outside, patch];
  const runs = ["conflict", "outside", "good"].map((task) => solved(task));
  const published = await publishTo(newFolder(), runs, {
    readPatch: async ({ spec }) => Buffer.from(patches[["conflict", "outside", "good"].indexOf(spec.task)]!),
  });
  expect(published.map(({ state }) => state)).toEqual(["failed", "failed", "new"]);
  expect(existsSync(join(folder.path, "outside.txt"))).toBe(false);
});

it("says how to set the author when git has none", async () => {
  vi.stubEnv("GIT_CONFIG_GLOBAL", "/dev/null");
  await expect(publishTo(newFolder(), [solved("one")])).rejects.toMatchObject({
    code: "invalid-input",
    hint: expect.stringContaining("git config --global user.name"),
  });
});
