/** @module-tag slow */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { missingHere } from "../../test/support/sandbox-fixture.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { openToolcrib, type ToolcribOptions } from "./index.ts";

const missing = await missingHere("bwrap");

/** A repository with three commits, of which the first and the last change `.env.test`. */
async function openProject(options: Partial<ToolcribOptions> = {}) {
  const folder = temporaryFolder();
  const make = (name: string) => {
    const top = join(folder.path, name);
    mkdirSync(join(top, "secrets"), { recursive: true });
    const put = (path: string, text: string) => writeFileSync(join(top, path), text);
    const git = (...args: string[]) =>
      execFileSync("git", args, { cwd: top, env: { ...process.env, ...author } });
    git("init", "-q", "-b", "main");
    put(".env.test", "URL=http://localhost:1\n");
    put("secrets/test.yml", "name: test\n");
    put("a.txt", "one\n");
    git("add", "-Af");
    git("commit", "-qm", "one");
    put("a.txt", "two\n");
    git("commit", "-qam", "two");
    put(".env.test", "URL=http://localhost:2\n");
    git("commit", "-qam", "three");
    return top;
  };
  const workspace = make("workspace");
  const plain = make("plain");
  const crib = await openToolcrib({
    workspace,
    stateDirectory: join(folder.path, "state"),
    configDirectory: join(folder.path, "config"),
    mode: "yolo",
    ...options,
  });
  return {
    ...{ crib, workspace, plain },
    put: (path: string, text: string) => writeFileSync(join(workspace, path), text),
    text: (path: string) => readFileSync(join(workspace, path), "utf8"),
    run: async (command: string) => {
      const { data, error } = await crib.call("shell.run", { command, env: author });
      const { stdout, stderr, exitCode } = (data ?? {}) as Record<string, unknown>;
      return error ? { error: error.message } : { stdout, stderr, exitCode };
    },
    runPlain: (command: string) => {
      const env = { ...process.env, ...author };
      const stdout = execFileSync("bash", ["-c", `${command} 2>/dev/null`], {
        cwd: plain,
        env,
        encoding: "utf8",
      });
      return stdout;
    },
    [Symbol.asyncDispose]: async () => {
      await crib.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

const author = {
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@b",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@b",
  GIT_AUTHOR_DATE: "2026-01-01T00:00:00Z",
  GIT_COMMITTER_DATE: "2026-01-01T00:00:00Z",
};

describe.skipIf(missing !== undefined)("a file with a secret name that git has", () => {
  it.each([
    "git status --porcelain",
    "git diff HEAD",
    "git add -A && git status --porcelain",
    "echo x >> a.txt && git stash -q && git stash pop -q && git status --porcelain",
    "echo x >> a.txt && git commit -qam four && git rebase -q HEAD~2 && git log --format=%s",
    "git reset -q --hard HEAD~1 && cat .env.test && git status --porcelain",
    "git checkout -q HEAD~1 && cat .env.test secrets/test.yml && git status --porcelain",
    "git ls-files",
  ])("does not make git say or do anything else than without a sandbox: %s", async (command) => {
    await using project = await openProject({ sandbox: "bwrap" });
    expect(await project.run(command)).toMatchObject({ stdout: project.runPlain(command), exitCode: 0 });
  });

  it("is hidden again when its content changes, also from commands", async () => {
    await using project = await openProject({ sandbox: "bwrap" });
    expect(await project.run("cat .env.test")).toMatchObject({ stdout: "URL=http://localhost:2\n" });
    project.put(".env.test", "URL=http://secret\n");
    project.put(".env", "A=1\n");
    expect(await project.run("cat .env.test")).toMatchObject({ error: expect.stringContaining("secret") });
    const indirect = await project.run(
      "for f in .e*; do cat $f; done; node -e 'fs.readFileSync(`.env.test`)'",
    );
    expect(indirect).toMatchObject({ stdout: "", exitCode: 1 });
  });

  it("stays hidden by a rule of the user", async () => {
    await using project = await openProject({ sandbox: "bwrap", rules: ["secret .env.test"] });
    const found = await project.run(`node -e "console.log(String(fs.readFileSync('.env.'+'test')))"`);
    expect(found).toMatchObject({ stdout: "", exitCode: 1 });
  });

  it("stays read-only by a rule of the user", async () => {
    await using project = await openProject({ sandbox: "bwrap", rules: ["deny write .env.test"] });
    const found = await project.run(`node -e "fs.appendFileSync('.env.'+'test', 'x')"`);
    expect(found).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("EROFS") });
    expect(await project.run("git status --porcelain")).toMatchObject({ stdout: "" });
  });
});

describe("file tools", () => {
  it("read, search and edit a file with a secret name while git has its content", async () => {
    await using project = await openProject();
    const read = await project.crib.call("file.read", { path: ".env.test" });
    expect(JSON.stringify(read.data)).toContain("URL=http://localhost:2");
    const found = await project.crib.call("search.grep", { pattern: "localhost:2", glob: ".env*" });
    expect(JSON.stringify(found.data)).toContain(".env.test");
    const edited = await project.crib.call("edit.replace", {
      path: ".env.test",
      find: ":2",
      replace: ":3",
    });
    expect(edited.error).toBeNull();
    expect(project.text(".env.test")).toBe("URL=http://localhost:3\n");
    const again = await project.crib.call("file.read", { path: ".env.test" });
    expect(again.error).toMatchObject({ code: "denied" });
  });

  it("refuse a secret that is not in git", async () => {
    await using project = await openProject();
    project.put(".env", "A=1\n");
    const read = await project.crib.call("file.read", { path: ".env" });
    expect(read.error).toMatchObject({ code: "denied" });
  });
});
