/** @module-tag slow */
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { openToolcrib } from "../../toolcrib/index.ts";

type Make = (path: string) => void;

const fifo: Make = (path) => execFileSync("mkfifo", [path]);
const device: Make = (path) => symlinkSync("/dev/zero", path);
const directory: Make = (path) => mkdirSync(path);
const huge: Make = (path) => {
  writeFileSync(path, "");
  truncateSync(path, 2 ** 33);
};

const inGit = [".git/HEAD", ".git/index", ".git/config", ".git/info/exclude", ".git/packed-refs"];
const cases = [
  ...[...inGit, ".git/refs/heads/main", ".gitignore", "sub/.gitignore", ".gitattributes"].map(
    (path) => ["a FIFO", path, fifo] as const,
  ),
  ...inGit.map((path) => ["a link to a device", path, device] as const),
  ...inGit.map((path) => ["a directory", path, directory] as const),
  ...[".git/HEAD", ".git/config", ".git/info/exclude", ".gitignore", ".git/refs/heads/main"].map(
    (path) => ["an endless file", path, huge] as const,
  ),
];

it.each(cases)("git.status names %s as %s", async (_, path, make) => {
  await using fixture = await openFixture();
  fixture.replace(path, make);
  const before = process.resourceUsage().maxRSS;
  expect(await fixture.call("git.status")).toContain(path);
  expect(process.resourceUsage().maxRSS - before).toBeLessThan(1024 * 1024);
});

it("names a FIFO that .git/config includes", async () => {
  await using fixture = await openFixture();
  fixture.git("config", "include.path", "../more.gitconfig");
  fixture.replace("more.gitconfig", fifo);
  expect(await fixture.call("git.status")).toContain("more.gitconfig");
});

it.each(["git.log", "git.diff", "git.stage", "git.commit", "git.branch", "git.blame", "git.show"])(
  "%s names a FIFO as .gitignore or .gitattributes, or does not need it",
  async (name) => {
    await using fixture = await openFixture();
    for (const path of [".gitignore", ".gitattributes"]) fixture.replace(path, fifo);
    writeFileSync(join(fixture.workspace, "a.txt"), "new\n");
    const error = await fixture.call(name, inputs[name]);
    if (error !== undefined) expect(error).toMatch(/\.git(?:ignore|attributes)/);
  },
);

it.each([
  ["search.grep", { pattern: "old" }],
  ["search.glob", { pattern: "**/*.txt" }],
  ["file.list", {}],
  ["code.search", { query: "old" }],
  ["file.write", { path: "b.txt", content: "x\n" }],
  ["shell.run", { command: "echo x > c.txt" }],
])("%s does not wait for a FIFO as an ignore file", async (name, input) => {
  await using fixture = await openFixture();
  for (const path of [".gitignore", "sub/.ignore", ".git/info/exclude", ".gitattributes"])
    fixture.replace(path, fifo);
  const error = await fixture.call(name, input);
  if (error !== undefined) expect(error).toMatch(/\.(?:git)?ignore|exclude/);
});

const inputs: Readonly<Record<string, unknown>> = {
  "git.stage": { paths: ["a.txt"] },
  "git.commit": { message: "new" },
  "git.show": { revision: "HEAD" },
  "git.blame": { path: "a.txt" },
};

/** Opens a repository with one commit. `call` returns the message of the error, and fails when the call met its time limit. */
async function openFixture() {
  const folder = temporaryFolder();
  const workspace = join(folder.path, "work space");
  mkdirSync(join(workspace, "sub"), { recursive: true });
  const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: workspace, stdio: "pipe" });
  git("init", "-q", "-b", "main");
  writeFileSync(join(workspace, "a.txt"), "old\n");
  writeFileSync(join(workspace, "sub/b.txt"), "old\n");
  git("add", ".");
  git("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-qm", "first");
  const crib = await openToolcrib({
    workspace,
    stateDirectory: join(folder.path, "state"),
    configDirectory: join(folder.path, "config"),
    mode: "yolo",
  });
  return {
    workspace,
    git,
    replace: (path: string, make: Make) => {
      const whole = join(workspace, path);
      rmSync(whole, { recursive: true, force: true });
      mkdirSync(dirname(whole), { recursive: true });
      make(whole);
    },
    call: async (name: string, input: unknown = {}) => {
      const { error } = await crib.call(name, input);
      // Git itself would wait until the limit of the call.
      expect(error?.code).not.toBe("timeout");
      return error?.message;
    },
    [Symbol.asyncDispose]: async () => {
      await crib.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}
