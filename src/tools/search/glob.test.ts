import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { toolContext } from "../../../test/support/tool-context.ts";
import type { Environment } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import { openLocalEnvironment } from "../../environment/local/local-environment.ts";
import { MemoryEnvironment } from "../../environment/memory/memory-environment.ts";
import { type GlobInput, searchGlob } from "./glob.ts";

const find = (environment: Environment, input: GlobInput) => searchGlob.run(input, toolContext(environment));

const pathsOf = async (environment: Environment, input: GlobInput) =>
  (await find(environment, { sort: "path", limit: 10_000, ...input })).data.files.map(({ path }) => path);

function writeFiles(folder: string, files: Record<string, string>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

function git(folder: string, ...args: string[]): void {
  const identity = ["-c", "user.name=T", "-c", "user.email=t@example.org"];
  const settings = ["-c", "maintenance.auto=false", "-c", "init.templateDir="];
  execFileSync("git", [...identity, ...settings, ...args], { cwd: folder, stdio: "ignore" });
}

/** Enough files to make starting a program worthwhile. */
const many = Object.fromEntries(
  Array.from({ length: 400 }, (_, index) => [`many/${index % 20}/${index}.txt`, ""]),
);

describe("search.glob", () => {
  it("returns files newest first, with names relative to the workspace", async () => {
    await using folder = temporaryFolder();
    writeFiles(folder.path, { "src/old.ts": "", "src/deep/new.ts": "", "src/other.js": "" });
    utimesSync(join(folder.path, "src/old.ts"), 1000, 1000);
    utimesSync(join(folder.path, "src/deep/new.ts"), 2000, 2000);
    expect(
      await find(openLocalEnvironment({ workspace: folder.path }), { pattern: "*.ts", path: "src" }),
    ).toEqual({
      text: "src/deep/new.ts\nsrc/old.ts",
      data: {
        files: [
          { path: "src/deep/new.ts", modifiedMs: 2_000_000 },
          { path: "src/old.ts", modifiedMs: 1_000_000 },
        ],
        total: 2,
        limited: false,
        source: "walk",
      },
    });
  });

  it.each([
    ["*.ts", ["a.ts", "src/b.ts", "src/x/c.ts"]],
    ["/*.ts", ["a.ts"]],
    ["src/*.ts", ["src/b.ts"]],
    ["src/**/*.ts", ["src/b.ts", "src/x/c.ts"]],
    ["**/x/*", ["src/x/c.ts"]],
    ["{a,b}.ts", ["a.ts", "src/b.ts"]],
    ["[!a].ts", ["src/b.ts", "src/x/c.ts"]],
    ["src", []],
    ["src/**", ["src/b.ts", "src/x/c.ts"]],
  ])("interprets %s like ripgrep", async (pattern, expected) => {
    const environment = new MemoryEnvironment({ files: { "a.ts": "", "src/b.ts": "", "src/x/c.ts": "" } });
    expect(await pathsOf(environment, { pattern })).toEqual(expected);
  });

  it.each<[Partial<GlobInput>, string]>([
    [
      {},
      " Files that are hidden or ignored were skipped; to include them set hidden: true, no_ignore: true.",
    ],
    [{ hidden: true }, " Files that are ignored were skipped; to include them set no_ignore: true."],
    [{ no_ignore: true }, " Files that are hidden were skipped; to include them set hidden: true."],
    [{ hidden: true, no_ignore: true }, ""],
  ])("reports that nothing matches, what was omitted and how to include it: %j", async (input, more) => {
    const { text } = await find(new MemoryEnvironment({ files: { a: "" } }), { pattern: "*.rs", ...input });
    expect(text).toBe(`No file in the workspace matches *.rs.${more}`);
  });

  it("prints every file on one line, even with unusual names", async () => {
    const { text } = await find(new MemoryEnvironment({ files: { "a\nb.txt": "", c: "" } }), {
      pattern: "*",
      sort: "path",
    });
    expect(text).toBe('"a\\nb.txt"\nc');
  });

  it("reports the total when it shows fewer", async () => {
    const { data, continuation } = await find(new MemoryEnvironment({ files: many }), {
      pattern: "*",
      limit: 3,
    });
    expect([data.files.length, data.total, data.limited, continuation]).toEqual([
      3,
      400,
      true,
      "3 of 400 files shown; narrow the pattern, or raise `limit`.",
    ]);
  });

  it.each([
    ["a missing directory", { pattern: "*", path: "missing" }, "not-found", "missing does not exist"],
    ["a file", { pattern: "*", path: "a" }, "unsupported", "a is not a directory"],
    [
      "a path outside",
      { pattern: "*", path: "../.." },
      "outside-workspace",
      "../.. leads outside the workspace",
    ],
    ["a bad pattern", { pattern: "[a" }, "invalid-input", expect.stringContaining("Bad glob at character 1")],
  ])("refuses %s", async (_name, input, code, message) => {
    const error = await find(new MemoryEnvironment({ files: { a: "" } }), input).catch((thrown) => thrown);
    expect([error instanceof ToolError, error.code, error.message]).toEqual([true, code, message]);
  });

  it("answers quickly for a pattern designed to take forever", async () => {
    const environment = new MemoryEnvironment({ files: { [`${"a".repeat(200)}`]: "" } });
    expect(await pathsOf(environment, { pattern: `${"*a".repeat(60)}*b` })).toEqual([]);
  });
});

/** The same files for every lister. */
describe("git, ripgrep and a walk agree", () => {
  const sources = (workspace: string): Record<string, Environment> => ({
    git: openLocalEnvironment({ workspace }),
    ripgrep: openLocalEnvironment({ workspace, programs: { git: undefined } }),
    walk: openLocalEnvironment({ workspace, programs: { git: undefined, rg: undefined } }),
  });

  async function answers(workspace: string, input: GlobInput) {
    const found = await Promise.all(
      Object.values(sources(workspace)).map((environment) =>
        find(environment, { sort: "path", limit: 9999, ...input }),
      ),
    );
    return found.map(({ data }) => ({ source: data.source, paths: data.files.map(({ path }) => path) }));
  }

  async function expectAgreement(workspace: string, input: GlobInput, first: string) {
    const [one, ...others] = await answers(workspace, input);
    expect([one?.source, ...others.map(({ source }) => source)]).toEqual([first, "ripgrep", "walk"]);
    for (const other of others) expect(other.paths).toEqual(one?.paths);
    return one!.paths;
  }

  const tracked = {
    ...many,
    ".gitignore": "*.log\nbuild/\nodd.ts/\n/only-root\n",
    ".hidden/a.ts": "",
    ".dot.ts": "",
    "src/a.ts": "",
    "src/deep/.gitignore": "!keep.log\nno.ts\n",
    "src/deep/keep.log": "",
    "src/deep/no.ts": "",
    "src/deep/gone.ts": "",
    "build/forced.ts": "",
    "odd.ts/inside.ts": "",
    "with space/ä b.ts": "",
    "-dash.ts": "",
  };

  describe("on a repository", () => {
    const folder = temporaryFolder();
    afterAll(() => folder[Symbol.asyncDispose]());
    beforeAll(() => {
      writeFiles(folder.path, tracked);
      git(folder.path, "init", "-q");
      git(folder.path, "add", "-f", ".");
      git(folder.path, "commit", "-q", "-m", "x");
      rmSync(join(folder.path, "src/deep/gone.ts"));
      writeFiles(folder.path, { "src/new.ts": "", "src/new.log": "", "only-root": "", "src/only-root": "" });
      symlinkSync("src/a.ts", join(folder.path, "link.ts"));
    });

    it.each<GlobInput>([
      { pattern: "*.ts" },
      { pattern: "*" },
      { pattern: "**/*.{ts,log}" },
      { pattern: "*.ts", hidden: true },
      { pattern: "*.ts", path: "src" },
      { pattern: "{src,many}/**/*" },
    ])("with $pattern $hidden $path", async (input) => {
      // A small directory is walked, whichever programs are installed.
      const paths = input.path
        ? await pathsOf(openLocalEnvironment({ workspace: folder.path }), input)
        : undefined;
      const found = paths ?? (await expectAgreement(folder.path, input, "git"));
      expect(found).toContain("src/a.ts");
      expect(found).not.toContain("build/forced.ts");
      expect(found).not.toContain("odd.ts/inside.ts");
      expect(found).not.toContain("link.ts");
    });
  });

  it.each<[string, Record<string, string>]>([
    ["rules that git does not read", { "sub/.ignore": "*.ts\n" }],
    ["a submodule", { ".gitmodules": "" }],
  ])("leaving %s to ripgrep", async (_name, files) => {
    await using folder = temporaryFolder();
    writeFiles(folder.path, { ...many, ...files, "sub/x.ts": "", "y.ts": "" });
    git(folder.path, "init", "-q");
    await expectAgreement(folder.path, { pattern: "*.ts" }, "ripgrep");
  });

  it("leaving a repository inside the repository to ripgrep", { tags: "slow" }, async () => {
    await using folder = temporaryFolder();
    writeFiles(folder.path, {
      ...many,
      ".gitignore": "x.ts\n",
      "x.ts": "",
      "inner/x.ts": "",
      "inner/deep/y.ts": "",
      "inner/deep/z.ts": "",
    });
    git(folder.path, "init", "-q");
    git(join(folder.path, "inner"), "init", "-q");
    writeFiles(folder.path, { "inner/.git/info/exclude": "z.ts\n", "inner/.git/odd.ts": "" });
    for (const hidden of [false, true]) {
      const paths = await expectAgreement(folder.path, { pattern: "*.ts", hidden }, "ripgrep");
      expect(paths).toEqual(["inner/deep/y.ts", "inner/x.ts"]);
    }
  });

  it("leaving a directory that is ignored itself to ripgrep", async () => {
    await using folder = temporaryFolder();
    const inside = Object.fromEntries(Object.keys(many).map((path) => [`out/${path}`, ""]));
    writeFiles(folder.path, { ...inside, ".gitignore": "out/\n" });
    git(folder.path, "init", "-q");
    const paths = await expectAgreement(folder.path, { pattern: "*.txt", path: "out" }, "ripgrep");
    expect(paths.length).toBe(400);
  });

  it("leaving git's own folder, asked for by path, to ripgrep", async () => {
    await using folder = temporaryFolder();
    git(folder.path, "init", "-q");
    const inside = Object.fromEntries(Object.keys(many).map((path) => [`.git/odd/${path}`, ""]));
    writeFiles(folder.path, inside);
    const paths = await expectAgreement(folder.path, { pattern: "*.txt", path: ".git" }, "ripgrep");
    expect(paths).toEqual(Object.keys(inside).toSorted());
  });

  it("leaving it to ripgrep when ignore files are disabled", async () => {
    await using folder = temporaryFolder();
    writeFiles(folder.path, tracked);
    git(folder.path, "init", "-q");
    writeFiles(folder.path, { ".git/odd.ts": "" });
    const shown = ["-dash.ts", "build/forced.ts", "odd.ts/inside.ts", "src/a.ts", "src/deep/gone.ts"];
    shown.push("src/deep/no.ts", "with space/ä b.ts");
    const input = { pattern: "*.ts", no_ignore: true };
    expect(await expectAgreement(folder.path, input, "ripgrep")).toEqual(shown);
    expect(await expectAgreement(folder.path, { ...input, hidden: true }, "ripgrep")).toEqual(
      [...shown, ".dot.ts", ".hidden/a.ts"].sort(),
    );
  });

  it("without running programs named in a repository's settings", async () => {
    await using folder = temporaryFolder();
    writeFiles(folder.path, { ...many, "y.ts": "" });
    git(folder.path, "init", "-q");
    const marker = join(folder.path, "ran");
    writeFileSync(join(folder.path, ".git/attack"), `#!/bin/sh\ntouch '${marker}'\n`, { mode: 0o755 });
    for (const setting of ["core.fsmonitor", "core.pager", "core.editor", "core.sshCommand"]) {
      git(folder.path, "config", setting, join(folder.path, ".git/attack"));
    }
    expect(await expectAgreement(folder.path, { pattern: "ran" }, "git")).toEqual([]);
  });

  it("without fetching objects that a repository lacks", async () => {
    await using folder = temporaryFolder();
    const at = (path: string) => join(folder.path, path);
    writeFiles(folder.path, { ...many, ".gitignore": "*.log\n" });
    git(folder.path, "init", "-q");
    git(folder.path, "add", ".");
    git(folder.path, "commit", "-q", "-m", "x");
    writeFiles(folder.path, { "y.ts": "" });
    const blob = execFileSync("git", ["rev-parse", ":.gitignore"], { cwd: folder.path, encoding: "utf8" });
    git(folder.path, "update-index", "--skip-worktree", ".gitignore");
    rmSync(at(".gitignore"));
    rmSync(at(`.git/objects/${blob.slice(0, 2)}/${blob.slice(2).trim()}`));
    for (const [setting, value] of Object.entries({
      "core.repositoryFormatVersion": "1",
      "extensions.partialClone": "origin",
      "remote.origin.promisor": "true",
      "remote.origin.url": folder.path,
      "remote.origin.uploadpack": `touch '${at("ran")}'; git-upload-pack`,
      "protocol.file.allow": "always",
    })) {
      git(folder.path, "config", setting, value);
    }
    const [first, ...others] = await answers(folder.path, { pattern: "{*.ts,ran}" });
    expect([first?.paths, ...others.map(({ paths }) => paths)]).toEqual([["y.ts"], ["y.ts"], ["y.ts"]]);
    expect(existsSync(at("ran"))).toBe(false);
  });

  it.each([
    ["configures more ignore files", "core.excludesFile", ".git/more", "*.ts\n"],
    ["ignores case", "core.ignoreCase", "true", ""],
  ])("when the repository %s", async (_name, setting, value, more) => {
    await using folder = temporaryFolder();
    writeFiles(folder.path, { ...many, ".gitignore": "Y.ts\n", "y.ts": "" });
    git(folder.path, "init", "-q");
    writeFiles(folder.path, { ".git/more": more });
    git(folder.path, "config", setting, value.replace(/^\.git/, join(folder.path, ".git")));
    expect(await expectAgreement(folder.path, { pattern: "*.ts" }, "git")).toEqual(["y.ts"]);
  });

  it("with the user's own ignore file", async () => {
    await using folder = temporaryFolder();
    writeFiles(folder.path, { ...many, "y.ts": "", "z.ts": "", "keep/z.ts": "" });
    git(folder.path, "init", "-q");
    const ignoreFilesOutside = async () => [{ name: "global", workspace: "", text: "/z.ts\n" } as const];
    const environment = Object.assign(openLocalEnvironment({ workspace: folder.path }), {
      ignoreFilesOutside,
    });
    const { data, text } = await find(environment, { pattern: "*.ts", sort: "path" });
    expect([data.source, text]).toEqual(["git", "keep/z.ts\ny.ts"]);
  });

  it("when the repository claims that its files are elsewhere", async () => {
    await using folder = temporaryFolder();
    writeFiles(folder.path, { ...many, "y.ts": "" });
    git(folder.path, "init", "-q");
    git(folder.path, "config", "core.worktree", "/etc");
    expect(await expectAgreement(folder.path, { pattern: "{*.ts,passwd}" }, "git")).toEqual(["y.ts"]);
  });
});
