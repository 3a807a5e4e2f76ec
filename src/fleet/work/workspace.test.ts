/** @module-tag slow */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join, normalize } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { specOf } from "../../../test/support/fleet/examples.ts";
import { commit, git } from "../../../test/support/fleet/worker-fixture.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { openLocalEnvironment } from "../../toolcrib/index.ts";
import type { RunSpec } from "../fleet.ts";
import { RunFolder } from "./run-folder.ts";
import { Workspaces } from "./workspace.ts";

const folder = temporaryFolder();
const repository = join(folder.path, "repository");
const environment = openLocalEnvironment({ workspace: folder.path });
const { signal } = new AbortController();
let runs = 0;
const unlikeRoot = { tags: "root" };

beforeAll(() => {
  mkdirSync(repository);
  git(repository, "init", "-q", "-b", "main");
  commit(repository, { "a.txt": "old\n" });
});

afterAll(async () => {
  await environment.close();
  await folder[Symbol.asyncDispose]();
});

/** Makes the workspace of a run. */
async function prepared(change: Partial<RunSpec> = {}) {
  const workspaces = new Workspaces(folder.path, environment);
  const run = new RunFolder(folder.path, { fleet: "trial", id: `run_${++runs}`, createdAt: 1 });
  await run.startOver();
  const base = await workspaces.prepare(specOf("task", { repository, ...change }), run, signal);
  const file = (name: string) => join(run.workspace, name);
  return { run, base, file, patch: () => workspaces.patch(run, base, signal) };
}

describe("the patch of a workspace", () => {
  it("keeps the bytes of every encoding, and applies", { tags: "slow" }, async () => {
    const { file, patch } = await prepared();
    const latin = Buffer.from("gr\u00fc\u00df\n", "latin1");
    writeFileSync(file("a.txt"), latin);
    const diff = join(folder.path, "latin.diff");
    writeFileSync(diff, await patch());
    git(repository, "apply", diff);
    expect(readFileSync(join(repository, "a.txt"))).toEqual(latin);
    git(repository, "checkout", "-q", "a.txt");
  });

  it.each([".gitignore", "deep/.gitattributes"])(
    "is refused when %s is a pipe, for which git would wait",
    async (name) => {
      const { file, patch } = await prepared();
      mkdirSync(file("deep"));
      execFileSync("mkfifo", [file(name)]);
      await expect(patch()).rejects.toMatchObject({
        message: `The patch cannot be made: ${name} is a pipe.`,
      });
    },
  );

  it("leaves out other pipes, and is refused when one replaces a file of the repository", async () => {
    const { file, patch } = await prepared();
    execFileSync("mkfifo", [file("pipe")]);
    expect((await patch()).toString()).toBe("");
    rmSync(file("a.txt"));
    execFileSync("mkfifo", [file("a.txt")]);
    await expect(patch()).rejects.toMatchObject({ message: expect.stringContaining("a.txt") });
  });

  it.skipIf(ignoresPermissions())(
    "is refused when a file or a folder cannot be read",
    unlikeRoot,
    async () => {
      const { file, patch } = await prepared();
      writeFileSync(file("closed"), "text", { mode: 0 });
      await expect(patch()).rejects.toMatchObject({ message: expect.stringContaining("closed") });
      rmSync(file("closed"));
      mkdirSync(file("folder"));
      chmodSync(file("folder"), 0);
      const message = "The patch cannot be made: folder cannot be read.";
      await expect(patch()).rejects.toMatchObject({ message });
      chmodSync(file("folder"), 0o700);
    },
  );

  it("is refused when it is larger than 64 MB", { tags: "slow" }, async () => {
    const { file, patch } = await prepared();
    writeFileSync(file("large.txt"), `${"x".repeat(999_999)}\n`.repeat(68));
    await expect(patch()).rejects.toMatchObject({
      code: "too-large",
      message: "The patch is larger than 64 MB.",
      hint: expect.stringContaining(".gitignore"),
    });
  });
});

/** Whether this process reads every file, as root does. */
function ignoresPermissions(): boolean {
  const file = join(folder.path, "unreadable");
  writeFileSync(file, "", { mode: 0 });
  try {
    readFileSync(file);
    return true;
  } catch {
    return false;
  }
}

describe("the clone of a repository", () => {
  it("is tried again when the server fails for a moment, and not when the repository is missing", {
    tags: "slow",
  }, async () => {
    git(folder.path, "clone", "-q", "--bare", repository, "served.git");
    git(join(folder.path, "served.git"), "update-server-info");
    const requests: string[] = [];
    const server = createServer(({ url = "" }, response) => {
      const path = normalize(new URL(url, "http://host").pathname);
      requests.push(path);
      const isFirst = requests.filter((each) => each.startsWith("/served.git")).length === 1;
      if (isFirst && path.startsWith("/served.git")) return void response.writeHead(503).end();
      try {
        response.end(readFileSync(join(folder.path, path)));
      } catch {
        response.writeHead(404).end();
      }
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      const { file } = await prepared({ repository: `${address}/served.git` });
      expect(readFileSync(file("a.txt"), "utf8")).toBe("old\n");
      await expect(prepared({ repository: `${address}/missing.git` })).rejects.toMatchObject({
        message: expect.stringContaining("not found"),
      });
      const missing = requests.filter((each) => each.startsWith("/missing.git"));
      expect(missing.length).toBeLessThanOrEqual(2);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});
