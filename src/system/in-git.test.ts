import childProcess, { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it, vi } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { inGit } from "./in-git.ts";

/** A repository with the committed files `.env.test` and `sub/.env`. */
function repository() {
  const folder = temporaryFolder();
  const at = (path: string) => join(folder.path, "project", path);
  const write = (path: string, text: string) => {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), text);
  };
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], {
      cwd: at("."),
      stdio: "pipe",
    });
  write(".env.test", "A=1\n");
  write("sub/.env", "B=2\n");
  git("init", "-q");
  git("add", "-Af");
  git("commit", "-qm", "one");
  return {
    ...{ at, write, git },
    found: (...paths: string[]) => {
      const all = paths.map(at);
      return paths.filter((_, index) => inGit(all).has(all[index]!));
    },
    [Symbol.asyncDispose]: folder[Symbol.asyncDispose],
  };
}

it("finds files that equal their blob in the index or in HEAD, and no others", async () => {
  await using made = repository();
  made.write(".env.local", "C=3\n");
  expect(made.found(".env.test", "sub/.env", ".env.local", "missing")).toEqual([".env.test", "sub/.env"]);
  made.write(".env.test", "A=2\n");
  expect(made.found(".env.test", "sub/.env")).toEqual(["sub/.env"]);
  made.git("add", ".env.test");
  expect(made.found(".env.test")).toEqual([".env.test"]);
  made.write(".env.test", "A=1\n");
  expect(made.found(".env.test")).toEqual([".env.test"]);
  made.git("rm", "--cached", "-qf", ".env.test");
  expect(made.found(".env.test")).toEqual([".env.test"]);
});

it("notices a change that keeps the size and the time", async () => {
  await using made = repository();
  expect(made.found(".env.test")).toEqual([".env.test"]);
  const old = new Date(0);
  utimesSync(made.at(".env.test"), old, old);
  expect(made.found(".env.test")).toEqual([".env.test"]);
  made.write(".env.test", "A=9\n");
  utimesSync(made.at(".env.test"), old, old);
  expect(made.found(".env.test")).toEqual([]);
});

it("takes no link, no file of another repository, and no forged entry for one that git has", async () => {
  await using made = repository();
  symlinkSync(made.at(".env.test"), made.at("link.env"));
  made.write("nested/.git/HEAD", "ref: refs/heads/main\n");
  made.write("nested/.env.test", "A=1\n");
  made.write(".env", "SECRET=1\n");
  made.git("update-index", "--add", "--cacheinfo", `100644,${"a".repeat(40)},.env`);
  expect(made.found("link.env", "nested/.env.test", ".env")).toEqual([]);
});

it("does not wait for a named pipe, and runs no program of the repository", async () => {
  await using made = repository();
  made.git("config", "core.fsmonitor", `touch '${made.at("mark")}'`);
  expect(made.found(".env.test", "mark")).toEqual([".env.test"]);
  rmSync(made.at(".git/index"));
  execFileSync("mkfifo", [made.at(".git/index")]);
  expect(made.found(".env.test")).toEqual([]);
});

it("asks git at most once about a repository in which git waits, and never when its HEAD is a named pipe", {
  tags: "slow",
}, async () => {
  const starts = vi.spyOn(childProcess, "execFileSync");
  try {
    const startsWithPipe = async (path: string) => {
      await using made = repository();
      rmSync(made.at(path));
      execFileSync("mkfifo", [made.at(path)]);
      starts.mockClear();
      expect([made.found(".env.test"), made.found("sub/.env", ".env.test")]).toEqual([[], []]);
      return starts.mock.calls.length;
    };
    expect(await startsWithPipe(".git/config")).toBe(1);
    expect(await startsWithPipe(".git/HEAD")).toBe(0);
  } finally {
    starts.mockRestore();
  }
});

it("reads a linked worktree", async () => {
  await using made = repository();
  made.git("worktree", "add", "-q", made.at("../other"));
  expect(made.found("../other/.env.test")).toEqual(["../other/.env.test"]);
});
