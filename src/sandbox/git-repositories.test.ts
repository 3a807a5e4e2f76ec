import { execFileSync } from "node:child_process";
import { appendFileSync, chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { repositoryBelow, repositoryOf } from "./git-repositories.ts";

function git(directory: string, ...args: string[]): void {
  const settings = ["user.name=a", "user.email=a@b", "protocol.file.allow=always", "commit.gpgsign=false"];
  execFileSync("git", [...settings.flatMap((setting) => ["-c", setting]), ...args], {
    cwd: directory,
    stdio: "ignore",
    env: { PATH: process.env.PATH, HOME: directory, GIT_CONFIG_NOSYSTEM: "1" },
  });
}

function makeRepository(path: string): string {
  mkdirSync(path);
  git(path, "init", "-q");
  writeFileSync(join(path, "file"), "");
  git(path, "add", ".");
  git(path, "commit", "-qm", "first");
  return path;
}

/** The result for an ordinary repository. */
function usual(directory: string): { held: string[]; readOnly: string[]; absent: object[] } {
  const at = (name: string) => join(directory, name);
  return {
    held: [directory],
    readOnly: [at("hooks"), at("info"), at("config")],
    absent: [
      { path: at("hooks"), kind: "directory" },
      { path: at("info"), kind: "directory" },
      { path: at("config"), kind: "file" },
      { path: at("commondir"), kind: "file" },
    ],
  };
}

it("holds a repository, and makes the files that control it read-only", async () => {
  await using folder = temporaryFolder();
  const work = makeRepository(join(folder.path, "work"));
  expect(repositoryOf(work)).toEqual(usual(join(work, ".git")));
});

it("lists missing files as absent", async () => {
  await using folder = temporaryFolder();
  mkdirSync(join(folder.path, ".git"));
  expect(repositoryOf(folder.path)).toBeUndefined();
  const at = (name: string) => join(folder.path, ".git", name);
  writeFileSync(at("HEAD"), "");
  expect(repositoryOf(folder.path)).toEqual({
    held: [join(folder.path, ".git")],
    readOnly: [],
    absent: [
      { path: at("hooks"), kind: "directory" },
      { path: at("info"), kind: "directory" },
      { path: at("config"), kind: "file" },
      { path: at("commondir"), kind: "file" },
    ],
  });
});

it("recognizes a folder without a repository, and one that is itself a repository", async () => {
  await using folder = temporaryFolder();
  expect(repositoryOf(folder.path)).toBeUndefined();
  git(folder.path, "init", "-q", "--bare", ".");
  expect(repositoryOf(folder.path)).toEqual(usual(folder.path));
});

it("follows a work tree to its repository, which links back to it", async () => {
  await using folder = temporaryFolder();
  const work = makeRepository(join(folder.path, "work"));
  const tree = join(folder.path, "tree");
  git(work, "worktree", "add", "-q", tree);
  const repository = join(work, ".git");
  const { held, readOnly, ...rest } = usual(repository);
  const own = join(repository, "worktrees", "tree");
  expect(repositoryOf(tree)).toEqual({
    ...rest,
    held: [...held, join(repository, "worktrees"), own],
    readOnly: [...readOnly, join(own, "commondir"), join(own, "gitdir"), join(tree, ".git")],
  });
});

it("follows a submodule, and holds it for the outer repository", { tags: "slow" }, async () => {
  await using folder = temporaryFolder();
  const source = makeRepository(join(folder.path, "source"));
  const work = makeRepository(join(folder.path, "work"));
  git(work, "submodule", "add", "-q", source, "lib/source");
  const modules = join(work, ".git", "modules");
  const module = usual(join(modules, "lib", "source"));
  const outer = usual(join(work, ".git"));
  expect(repositoryOf(work)).toEqual({
    held: [...outer.held, modules, join(modules, "lib"), ...module.held],
    readOnly: [...outer.readOnly, ...module.readOnly],
    absent: [...outer.absent, ...module.absent],
  });
  expect(repositoryOf(join(work, "lib", "source"))).toEqual({
    ...module,
    readOnly: [...module.readOnly, join(work, "lib", "source", ".git")],
  });
});

it("ignores a .git file whose repository does not link back to it", { tags: "slow" }, async () => {
  await using folder = temporaryFolder();
  const victim = makeRepository(join(folder.path, "victim"));
  const tree = join(folder.path, "tree");
  git(victim, "worktree", "add", "-q", tree);
  const evil = join(folder.path, "evil");
  mkdirSync(evil);
  const claims = [
    join(victim, ".git"),
    join(victim, ".git/worktrees/tree"),
    "/",
    "../victim/.git",
    "nowhere",
  ];
  const believed = claims.map((claim) => {
    writeFileSync(join(evil, ".git"), `gitdir: ${claim}\n`);
    return repositoryOf(evil);
  });
  const only = { held: [], readOnly: [join(evil, ".git")], absent: [] };
  expect(believed).toEqual(claims.map(() => only));
});

it("accepts a .git file whose repository is in the workspace", async () => {
  await using folder = temporaryFolder();
  const work = join(folder.path, "work");
  mkdirSync(join(work, "sub"), { recursive: true });
  const [store, other] = [join(work, "store"), join(work, "other")];
  git(work, "init", "-q", `--separate-git-dir=${store}`, ".");
  git(join(work, "sub"), "init", "-q", `--separate-git-dir=${other}`, ".");
  const outer = usual(store);
  const inner = usual(other);
  expect(repositoryOf(work)).toEqual({ ...outer, readOnly: [...outer.readOnly, join(work, ".git")] });
  expect(repositoryBelow(join(work, "sub/.git"), work)).toEqual({
    ...inner,
    readOnly: [...inner.readOnly, join(work, "sub/.git")],
  });
  expect(repositoryBelow(join(work, "sub/.git"), join(work, "sub"))).toEqual({
    ...{ held: [], readOnly: [join(work, "sub/.git")], absent: [] },
  });
});

it("follows a link inside the workspace, and none that leads outside", async () => {
  await using folder = temporaryFolder();
  const work = makeRepository(join(folder.path, "work"));
  execFileSync("mv", [join(work, ".git"), join(work, "kept")]);
  symlinkSync("kept", join(work, ".git"));
  expect(repositoryOf(work)).toEqual(usual(join(work, "kept")));
  rmSync(join(work, ".git"));
  const other = makeRepository(join(folder.path, "other"));
  symlinkSync(join(other, ".git"), join(work, ".git"));
  expect(repositoryOf(work)).toBeUndefined();
});

it("protects the hooks and settings that its settings refer to, in the work tree only", async () => {
  await using folder = temporaryFolder();
  const work = makeRepository(join(folder.path, "work"));
  const tree = join(folder.path, "tree");
  git(work, "worktree", "add", "-q", tree);
  const at = (name: string) => join(work, name);
  for (const path of ["hooks dir", "sub"]) mkdirSync(at(path));
  writeFileSync(at("sub/shared"), '[includeIf "onbranch:main"]\n\tpath = "more#" ; why\n');
  const included = [
    "../sub/shared",
    "/etc/passwd",
    "~/.ssh/config",
    "../../other",
    "config",
    "..",
    "../missing",
  ];
  appendFileSync(
    at(".git/config"),
    `[core] hooksPath = hooks dir\n[include]\n${included.map((path) => `\tpath = ${path}\n`).join("")}`,
  );
  const { readOnly, absent, ...rest } = usual(at(".git"));
  const own = at(".git/worktrees/tree");
  expect(repositoryOf(work)).toEqual({
    ...rest,
    held: [...rest.held, at(".git/worktrees"), own],
    readOnly: [
      ...readOnly,
      ...[join(own, "commondir"), join(own, "gitdir")],
      ...[at("hooks dir"), at("sub/shared")],
    ],
    absent: [
      ...absent,
      { path: at("hooks dir"), kind: "directory" },
      ...["sub/shared", "sub/more#", "missing"].map((path) => ({ path: at(path), kind: "file" })),
    ],
  });
  expect(repositoryOf(tree)!.absent).toContainEqual({ path: join(tree, "hooks dir"), kind: "directory" });
});

it("allows no writes in directories it cannot read", async () => {
  await using folder = temporaryFolder();
  const work = makeRepository(join(folder.path, "work"));
  const at = (name: string) => join(work, ".git", name);
  const expected = usual(join(work, ".git"));
  for (const name of ["modules", "worktrees"]) mkdirSync(at(name), { mode: 0o300 });
  expect(repositoryOf(work)).toEqual({
    ...expected,
    readOnly: [...expected.readOnly, at("modules"), at("worktrees")],
  });
  chmodSync(at(""), 0);
  expect(repositoryOf(work)).toEqual({
    ...{ held: [], absent: [] },
    readOnly: [join(work, ".git")],
  });
  for (const name of ["", "modules", "worktrees"]) chmodSync(at(name), 0o700);
});

it("recognizes the repository of a submodule from which a command has removed a file", async () => {
  await using folder = temporaryFolder();
  const work = makeRepository(join(folder.path, "work"));
  const modules = join(work, ".git/modules");
  mkdirSync(join(modules, "one"), { recursive: true });
  writeFileSync(join(modules, "one/config"), "");
  expect(repositoryOf(work)!.readOnly).toContain(join(modules, "one/config"));
});
