import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { openLocalEnvironment } from "../../../environment/local/local-environment.ts";
import { blobName } from "../../../lib/bytes/blob-name.ts";
import { GitContents, readBlobs } from "./git-contents.ts";

const { signal } = new AbortController();
const names = ["a", "folder/b c", "folder/bd", "folder/deep/ü\n", "g".repeat(200), "longer"];

/** A repository with committed files that are older than its index. */
async function openRepository({ files = names, options = [] as readonly string[] } = {}) {
  const folder = temporaryFolder();
  const at = (path: string) => join(folder.path, path);
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd: folder.path, encoding: "utf8", stdio: "pipe" });
  git("init", "--quiet", ...options);
  for (const path of files) {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), `content of ${path}`);
    utimesSync(at(path), 1_700_000_000, 1_700_000_000);
  }
  symlinkSync("a", at("link"));
  const environment = openLocalEnvironment({ workspace: folder.path });
  const contents = new GitContents(environment);
  const listed = () => environment.listEntries!();
  // A file that was changed a moment ago may have changed since.
  await expect.poll(async () => Date.now() - Math.max(...(await changeTimes(listed)))).toBeGreaterThan(100);
  git("add", "--all");
  return {
    at,
    git,
    environment,
    contents,
    listed,
    /** Returns the files whose content git has. */
    found: async () => [...(await contents.find(await listed(), files, signal)).keys()],
    async [Symbol.asyncDispose]() {
      await environment.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

async function changeTimes(
  listed: () => ReturnType<NonNullable<ReturnType<typeof openLocalEnvironment>["listEntries"]>>,
) {
  return Array.from((await listed()).entries.values(), ({ ctimeMs }) => ctimeMs);
}

describe("GitContents", () => {
  it.each(["2", "4"])("finds unchanged files in an index of version %s", async (version) => {
    await using repository = await openRepository();
    repository.git("update-index", "--index-version", version);
    expect(await repository.found()).toEqual(names);
    writeFileSync(repository.at("longer"), "changed");
    expect(await repository.found()).toEqual(names.slice(0, -1));
  });

  it("finds unchanged files in a split index, and with SHA-256", { tags: "slow" }, async () => {
    await using split = await openRepository();
    split.git("update-index", "--split-index");
    expect(await split.found()).toEqual(names);
    await using other = await openRepository({ options: ["--object-format=sha256"] });
    expect(await other.found()).toEqual(names);
    const oids = await other.contents.find(await other.listed(), names, signal);
    expect(oids.get("a")).toBe(blobName(Buffer.from("content of a"), "f".repeat(64)));
  });

  it("finds more files than fit on a command line, and only those in the index", {
    tags: "slow",
  }, async () => {
    const files = Array.from({ length: 300 }, (_, index) => `d${index % 7}/${index}`);
    await using repository = await openRepository({ files });
    repository.git("rm", "--quiet", "--cached", "d0/0");
    expect(await repository.found()).toEqual(files.slice(1));
  });

  it("leaves out files that git was told not to check, and those only to be added", async () => {
    await using repository = await openRepository();
    repository.git("update-index", "--assume-unchanged", "a");
    repository.git("update-index", "--skip-worktree", "longer");
    repository.git("rm", "--quiet", "--cached", "folder/bd");
    repository.git("add", "--intent-to-add", "folder/bd");
    expect(await repository.found()).toEqual(["folder/b c", "folder/deep/ü\n", "g".repeat(200)]);
  });

  it("leaves out files whose blob is missing or which attributes convert", async () => {
    await using repository = await openRepository();
    const oid = repository.git("rev-parse", ":a").trim();
    const blob = repository.at(`.git/objects/${oid.slice(0, 2)}/${oid.slice(2)}`);
    chmodSync(blob, 0o600);
    execFileSync("rm", [blob]);
    writeFileSync(repository.at(".git/info/attributes"), "longer ident\n");
    expect(await repository.found()).toEqual(names.slice(1, -1));
  });

  it("finds nothing instead of waiting for a FIFO in the repository", { tags: "slow" }, async () => {
    for (const name of ["index", "HEAD", "config", "info/attributes"]) {
      await using repository = await openRepository();
      rmSync(repository.at(`.git/${name}`), { force: true });
      execFileSync("mkfifo", [repository.at(`.git/${name}`)]);
      const snapshot = await repository.listed();
      for (const one of snapshot.repositories) await repository.contents.staged(one, signal);
      expect([name, await repository.found()]).toEqual([name, []]);
    }
  });

  it("notices staged content, but not new times", async () => {
    await using repository = await openRepository();
    const { contents, listed, git } = repository;
    const before = await listed();
    const staged = async () => contents.staged((await listed()).repositories[0]!, signal);
    const first = await staged();
    utimesSync(repository.at("a"), 1, 1);
    git("update-index", "--refresh");
    const refreshed = await listed();
    expect(refreshed.repositories[0]!.state.index).not.toBe(before.repositories[0]!.state.index);
    expect(await staged()).toBe(first);
    writeFileSync(repository.at("a"), "other");
    git("add", "a");
    expect(await staged()).not.toBe(first);
  });

  it("reads blobs, and skips those that are missing or damaged", async () => {
    await using repository = await openRepository({ files: ["a", "b"] });
    const oids = [
      repository.git("rev-parse", ":a").trim(),
      "0".repeat(40),
      repository.git("rev-parse", ":b").trim(),
    ];
    const read: string[] = [];
    for await (const { content } of readBlobs(repository.environment, "", oids, signal))
      read.push(content.toString());
    expect(read).toEqual(["content of a", "content of b"]);
  });

  it("starts no program that the settings of the repository name", { tags: "slow" }, async () => {
    await using repository = await openRepository();
    const program = repository.at("program");
    writeFileSync(program, `#!/bin/sh\ntouch ${repository.at("started")}\ncat\n`);
    chmodSync(program, 0o755);
    for (const name of ["post-index-change", "fsmonitor-watchman", "query-watchman"]) {
      mkdirSync(repository.at(".git/hooks"), { recursive: true });
      execFileSync("cp", [program, repository.at(`.git/hooks/${name}`)]);
    }
    const settings = {
      "core.fsmonitor": program,
      "core.pager": program,
      "core.sshCommand": program,
      "core.alternateRefsCommand": program,
      "filter.evil.clean": program,
      "filter.evil.smudge": program,
      "diff.external": program,
      "remote.origin.url": `ext::${program}`,
      "remote.origin.promisor": "true",
      "extensions.partialClone": "origin",
      "protocol.ext.allow": "always",
    };
    for (const [key, value] of Object.entries(settings)) repository.git("config", key, value);
    writeFileSync(repository.at(".git/info/attributes"), "a filter=evil\n");
    const snapshot = await repository.listed();
    for (const one of snapshot.repositories) await repository.contents.staged(one, signal);
    expect(await repository.found()).toEqual(names.slice(1));
    for await (const _ of readBlobs(repository.environment, "", ["1".repeat(40)], signal)) expect.fail();
    expect(existsSync(repository.at("started"))).toBe(false);
  });
});
