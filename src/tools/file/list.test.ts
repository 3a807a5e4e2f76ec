import { mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { toolContext } from "../../../test/support/tool-context.ts";
import type { Environment } from "../../contract/environment.ts";
import { ToolError } from "../../contract/error.ts";
import { openLocalEnvironment } from "../../environment/local/local-environment.ts";
import { MemoryEnvironment } from "../../environment/memory/memory-environment.ts";
import { fileList } from "./list.ts";

const files = {
  "README.md": "x".repeat(1234),
  ".gitignore": "dist/\n",
  "dist/bundle.js": "x",
  "src/main.ts": "main",
  "src/deep/er/one.ts": "1",
  "src/deep/two.ts": "22",
};

const list = (environment: Environment, input: Parameters<typeof fileList.run>[0]) =>
  fileList.run(input, toolContext(environment));

describe("file.list", () => {
  it("shows two levels with sizes and reports what is omitted", async () => {
    expect(await list(new MemoryEnvironment({ files }), {})).toEqual({
      text: "README.md  1.2 kB\nsrc/\n  deep/\n  main.ts  4 bytes\n[2 hidden or ignored]",
      data: {
        root: {
          kind: "directory",
          name: ".",
          beyondLimit: 0,
          notShown: 2,
          isUnreadable: false,
          entries: [
            { kind: "file", name: "README.md", bytes: 1234 },
            {
              kind: "directory",
              name: "src",
              beyondLimit: 0,
              notShown: 0,
              isUnreadable: false,
              entries: [
                {
                  kind: "directory",
                  name: "deep",
                  entries: undefined,
                  beyondLimit: 0,
                  notShown: 0,
                  isUnreadable: false,
                },
                { kind: "file", name: "main.ts", bytes: 4 },
              ],
            },
          ],
        },
        shown: 4,
        limited: false,
      },
    });
  });

  it("shows hidden and ignored names on request", async () => {
    const { text } = await list(new MemoryEnvironment({ files }), {
      hidden: true,
      no_ignore: true,
      depth: 1,
    });
    expect(text).toBe(".gitignore  6 bytes\nREADME.md  1.2 kB\ndist/\nsrc/");
  });

  it("applies ignore files above the directory it starts in", async () => {
    const environment = new MemoryEnvironment({
      files: { ".gitignore": "*.log\n", "src/a.log": "", "src/b": "" },
    });
    expect((await list(environment, { path: "src" })).text).toBe("b  0 bytes\n[1 hidden or ignored]");
  });

  it("spends its limit level by level", async () => {
    const many = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`a/${index}`, ""]));
    const output = await list(new MemoryEnvironment({ files: { ...many, b: "", c: "" } }), { limit: 5 });
    expect([output.text, output.data.limited, output.continuation]).toEqual([
      "a/\n  0  0 bytes\n  1  0 bytes\n  [7 more]\nb  0 bytes\nc  0 bytes",
      true,
      "Stopped at 5 entries; list a subdirectory, or raise `limit`.",
    ]);
  });

  it("prints every entry on one line, even with unusual names", async () => {
    const environment = new MemoryEnvironment({ files: { "a\nb/c\rd": "" } });
    environment.link("link", "a\nb");
    expect((await list(environment, {})).text).toBe('"a\\nb"/\n  "c\\rd"  0 bytes\nlink -> "a\\nb"');
  });

  it("reports that a directory is empty", async () => {
    await using folder = temporaryFolder();
    expect((await list(openLocalEnvironment({ workspace: folder.path }), {})).text).toBe(
      "[The directory is empty.]",
    );
  });

  it("shows link targets without following them", async () => {
    await using folder = temporaryFolder();
    mkdirSync(join(folder.path, "d"));
    writeFileSync(join(folder.path, "d/file"), "");
    symlinkSync("d", join(folder.path, "in"));
    symlinkSync("/etc", join(folder.path, "out"));
    symlinkSync("nowhere", join(folder.path, "gone"));
    symlinkSync("round", join(folder.path, "round"));
    symlinkSync("d/file/x", join(folder.path, "through"));
    const shown = [
      "d/",
      "  file  0 bytes",
      "gone -> nowhere",
      "in -> d",
      "out -> [outside the workspace]",
      "round -> [circular link]",
      "through -> [broken link]",
    ];
    expect((await list(openLocalEnvironment({ workspace: folder.path }), {})).text.split("\n")).toEqual(
      shown,
    );
  });

  it("shows link targets even when the whole disk is the workspace", async () => {
    await using folder = temporaryFolder();
    const path = realpathSync(folder.path);
    writeFileSync(join(path, "file"), "");
    symlinkSync("file", join(path, "link"));
    expect((await list(openLocalEnvironment({ workspace: "/" }), { path })).text).toBe(
      `file  0 bytes\nlink -> ${path.slice(1)}/file`,
    );
  });

  // Other systems refuse such names.
  it.runIf(process.platform === "linux")("shows the closest form of names that are not UTF-8", async () => {
    await using folder = temporaryFolder();
    const odd = (name: string) => Buffer.concat([Buffer.from(join(folder.path, name)), Buffer.from([0xff])]);
    writeFileSync(odd("file"), "text");
    mkdirSync(odd("folder"));
    symlinkSync("plain", odd("link"));
    writeFileSync(join(folder.path, "plain"), "text");
    expect((await list(openLocalEnvironment({ workspace: folder.path }), {})).text).toBe(
      "file\uFFFD\nfolder\uFFFD/\nlink\uFFFD -> [broken link]\nplain  4 bytes",
    );
  });

  it("omits entries that disappear while it lists", async () => {
    await using folder = temporaryFolder();
    for (const name of ["a", "goes", "stays"]) mkdirSync(join(folder.path, name));
    for (const name of ["a/goes", "a/stays", "goes/file"]) writeFileSync(join(folder.path, name), "");
    const environment = openLocalEnvironment({ workspace: folder.path });
    const open = environment.openDirectory.bind(environment);
    const openDirectory = async (path: string) => {
      const directory = await open(path);
      const entries = await directory.entries();
      if (path === "a")
        for (const gone of ["a/goes", "goes"]) rmSync(join(folder.path, gone), { recursive: true });
      return Object.assign(directory, { entries: async () => entries });
    };
    const { text, data } = await list(Object.assign(environment, { openDirectory }), {});
    expect([text, data.shown, data.limited]).toEqual(["a/\n  stays  0 bytes\ngoes/\nstays/", 4, false]);
  });

  it.each([
    ["a file", "README.md", "unsupported", "README.md is not a directory"],
    ["nothing", "missing", "not-found", "missing does not exist"],
    ["a path outside", "../x", "outside-workspace", "../x leads outside the workspace"],
  ])("refuses %s", async (_name, path, code, message) => {
    const error = await list(new MemoryEnvironment({ files }), { path }).catch((thrown) => thrown);
    expect([error instanceof ToolError, error.code, error.message]).toEqual([true, code, message]);
  });
});
