import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { rgPath } from "@vscode/ripgrep";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { asOrdinaryUser } from "../../test/support/as-ordinary-user.ts";
import { rounds } from "../../test/support/rounds.ts";
import type { Environment } from "../contract/environment.ts";
import { openLocalEnvironment } from "../environment/local/local-environment.ts";
import { MemoryEnvironment } from "../environment/memory/memory-environment.ts";
import { IgnoreChain } from "../lib/ignore/ignore-chain.ts";
import { VisiblePaths } from "./visible-paths.ts";
import { type WalkOptions, walkFiles } from "./walk.ts";

type Files = Readonly<Record<string, string>>;

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) fs.rmSync(folder, { recursive: true });
});

function writeFolder(files: Files): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "toolcrib walk "));
  folders.push(folder);
  for (const [name, content] of Object.entries(files)) {
    fs.mkdirSync(path.join(folder, path.dirname(name)), { recursive: true });
    fs.writeFileSync(path.join(folder, name), content);
  }
  return folder;
}

async function walk(
  environment: Environment,
  start = "",
  options: Partial<WalkOptions> = {},
): Promise<string[]> {
  const signal = new AbortController().signal;
  const files = walkFiles(environment, start, { hidden: false, ignoreFiles: true, signal, ...options });
  const paths: string[] = [];
  for await (const file of files) paths.push(file.path);
  return paths;
}

describe("walkFiles", () => {
  it("yields files in path order", async () => {
    const names = ["a/z", "a.b", "a/b/c", "a-b", "a/b.c", "b", "B", "ä"];
    const environment = new MemoryEnvironment({ files: Object.fromEntries(names.map((name) => [name, ""])) });
    expect(await walk(environment)).toEqual([...names].sort());
  });

  it("skips excluded directories", async () => {
    const environment = new MemoryEnvironment({ files: { "a/b/c": "", "a/d": "", e: "" } });
    expect(await walk(environment, "", { enters: (directory) => directory !== "a/b" })).toEqual(["a/d", "e"]);
  });

  it("neither follows nor yields symlinks, nor anything that is not a regular file", async () => {
    const environment = new MemoryEnvironment({ files: { "a/b": "" } });
    environment.link("link", "a");
    environment.link("a/link", "b");
    environment.makeSpecial("fifo");
    expect(await walk(environment)).toEqual(["a/b"]);
  });

  it("reports directories that it cannot read, and continues", { tags: ["root", "slow"] }, async () => {
    const folder = writeFolder({ "a/x": "", "shut/y": "", z: "" });
    fs.chmodSync(path.join(folder, "shut"), 0);
    try {
      const program = new URL("../../test/support/search-tools/forbidden.ts", import.meta.url);
      expect(await asOrdinaryUser(program, folder)).toMatchObject({
        walk: { found: ["a/x", "z"], failed: ["shut"] },
      });
    } finally {
      fs.chmodSync(path.join(folder, "shut"), 0o700);
    }
  });

  it("ends when cancelled", { tags: "slow" }, async () => {
    const files = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`f${index}`, ""]));
    const controller = new AbortController();
    const walking = walk(new MemoryEnvironment({ files }), "", { signal: controller.signal });
    controller.abort();
    await expect(walking).rejects.toMatchObject({ code: "cancelled" });
  });

  it("estimates how many files are left", async () => {
    const files = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [`d${index % 3}/f${String(index).padStart(2, "0")}`, ""]),
    );
    const ahead: number[] = [];
    const signal = new AbortController().signal;
    const walked = walkFiles(new MemoryEnvironment({ files }), "", {
      hidden: false,
      ignoreFiles: true,
      signal,
    });
    for await (const file of walked) ahead.push(file.filesAhead);
    // Two directories entered, ten files found, two directories waiting; at the end everything is known.
    expect([ahead[0], ahead.at(-2), ahead.at(-1)]).toEqual([9 + 2 * (10 / 2), 1, 0]);
  });

  it("yields nothing from a directory that has been removed", async () => {
    const environment = new MemoryEnvironment({ files: { "here/file": "" } });
    const visible = new VisiblePaths(environment, "", { hidden: false, ignoreFiles: true });
    expect([await visible.has("here/file"), await visible.has("gone/below/file")]).toEqual([true, false]);
  });

  describe("compared with ripgrep", () => {
    const directories = ["", "a", "a/b", "c", ".d", "a/b/e"];
    const names = ["x.txt", "y.log", ".h", "z", "keep"];
    const everything = directories.flatMap((directory) =>
      names.map((name) => path.posix.join(directory, name)),
    );

    const pattern = fc.constantFrom(
      ...[
        "x.txt",
        "*.log",
        "!keep",
        "!y.log",
        "/z",
        "a/",
        "a/b",
        "/a/b/",
        "b/*",
        "**/e",
        "a/**",
        "!a/b/keep",
        "e/",
      ],
      ...[
        "*",
        "!*/",
        "!.h",
        "!.d",
        ".d/",
        "?",
        "[x-z]*",
        "/*",
        "!/a",
        "c/*.txt",
        "# z",
        "\\!keep",
        "*.txt  ",
      ],
    );
    const rules = fc.array(pattern, { minLength: 1, maxLength: 4 }).map((lines) => lines.join("\n"));
    const ignoreFile = fc.tuple(
      fc.constantFrom(...directories),
      fc.constantFrom(".gitignore", ".ignore", ".rgignore", ".git/info/exclude"),
      rules,
    );
    const options = fc.record({ hidden: fc.boolean(), ignoreFiles: fc.boolean() });

    it("finds the same files, all at once and one by one", { tags: "slow" }, async () => {
      const property = fc.asyncProperty(
        fc.array(ignoreFile, { maxLength: 5 }),
        fc.constantFrom("", "", "a", "a/b"),
        options,
        async (ignoreFiles, start, { hidden, ignoreFiles: honoured }) => {
          const files = Object.fromEntries([
            ...everything.map((name) => [name, ""]),
            ...ignoreFiles.map(([directory, name, text]) => [path.posix.join(directory, name), text]),
          ]);
          const workspace = writeFolder(files);
          const environment = openLocalEnvironment({ workspace });
          try {
            const { isInRepository } = await IgnoreChain.at(environment, start);
            const flags = [
              "--files",
              "--no-config",
              "-g",
              "!.git",
              ...(isInRepository ? [] : ["--no-require-git"]),
            ];
            if (hidden) flags.push("--hidden");
            if (!honoured) flags.push("--no-ignore");
            const expected = ripgrep(flags, start, workspace);
            const visibility = { hidden, ignoreFiles: honoured };
            const visible = new VisiblePaths(environment, start, visibility);
            const below = Object.keys(files).filter((name) =>
              name.startsWith(start === "" ? "" : `${start}/`),
            );
            const oneByOne: string[] = [];
            for (const name of below.sort()) if (await visible.has(name)) oneByOne.push(name);
            expect(await walk(environment, start, visibility)).toEqual(expected);
            expect(oneByOne).toEqual(expected);
          } finally {
            await environment.close();
          }
        },
      );
      await fc.assert(property, { numRuns: rounds(15) });
    });

    function ripgrep(flags: readonly string[], start: string, cwd: string): string[] {
      try {
        const output = execFileSync(rgPath, [...flags, "--", `./${start}`], {
          cwd,
          encoding: "utf8",
          stdio: "pipe",
        });
        return output
          .split("\n")
          .filter((line) => line !== "")
          .map((line) => line.slice("./".length))
          .sort();
      } catch (error) {
        // ripgrep exits with 1 when there is no file.
        if ((error as { status: number }).status === 1) return [];
        throw error;
      }
    }
  });
});
