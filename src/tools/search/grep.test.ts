import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { toolContext } from "../../../test/support/tool-context.ts";
import type { Environment } from "../../contract/environment.ts";
import type { ToolOutput } from "../../contract/tool.ts";
import { openLocalEnvironment } from "../../environment/local/local-environment.ts";
import { MemoryEnvironment } from "../../environment/memory/memory-environment.ts";
import { type GrepData, type GrepInput, grep, searchGrep } from "./grep.ts";
import { usualBudget } from "./grep-search.ts";

type Files = Readonly<Record<string, string | Uint8Array>>;

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function writeWorkspace(files: Files): string {
  const workspace = fs.mkdtempSync(path.join(os.tmpdir(), "toolcrib grep "));
  closing.push(() => fs.rmSync(workspace, { recursive: true }));
  for (const [name, content] of Object.entries(files)) {
    fs.mkdirSync(path.join(workspace, path.dirname(name)), { recursive: true });
    fs.writeFileSync(path.join(workspace, name), content);
  }
  return workspace;
}

function openLocal(files: Files, options: { readonly hasRipgrep: boolean }): Environment {
  const programs = options.hasRipgrep ? {} : { rg: undefined };
  const environment = openLocalEnvironment({ workspace: writeWorkspace(files), programs });
  closing.push(() => environment.close());
  return environment;
}

const nothing = { files: 0, bytes: 0 };

/** Every engine. All return the same answer. */
const engines = {
  ripgrep: (files: Files) => ({ environment: openLocal(files, { hasRipgrep: true }), budget: nothing }),
  "the built-in engine": (files: Files) => ({
    environment: openLocal(files, { hasRipgrep: false }),
    budget: usualBudget,
  }),
  "the built-in engine in memory": (files: Files) => ({
    environment: new MemoryEnvironment({ files }),
    budget: usualBudget,
  }),
};

describe.each(Object.entries(engines))("search.grep with %s", (name, open) => {
  async function search(files: Files, input: GrepInput): Promise<ToolOutput<GrepData>> {
    const { environment, budget } = open(files);
    const output = await grep(input, toolContext(environment), budget);
    expect(output.data.engine).toBe(name === "ripgrep" && !output.data.binary ? "ripgrep" : "built-in");
    return output;
  }

  async function textOf(files: Files, input: GrepInput): Promise<string[]> {
    return (await search(files, input)).text.split("\n");
  }

  const program = {
    "src/app.ts": "import { open } from './open.ts';\n\nexport function main() {\n  return open();\n}\n",
    "src/open.ts": "export function open() {\n  return 'door';\n}\n",
    "README.md": "Open the door with open().\n",
  };

  it("shows matching lines with path and line number", async () => {
    const { data, text, continuation } = await search(program, { pattern: "open\\(" });
    expect({ data: { ...data, engine: "", searchedFiles: 0 }, text, continuation }).toEqual({
      data: {
        mode: "content",
        matches: [
          { path: "README.md", line: 1, text: "Open the door with open()." },
          { path: "src/app.ts", line: 4, text: "  return open();" },
          { path: "src/open.ts", line: 1, text: "export function open() {" },
        ],
        files: [
          { path: "README.md", count: 1 },
          { path: "src/app.ts", count: 1 },
          { path: "src/open.ts", count: 1 },
        ],
        limited: false,
        engine: "",
        searchedFiles: 0,
        skipped: { binary: 0, unreadable: [], partly: [], tooLarge: [] },
      },
      text: "README.md:1:Open the door with open().\nsrc/app.ts:4:  return open();\nsrc/open.ts:1:export function open() {",
      continuation: undefined,
    });
  });

  it("shows the lines around matches, each once, and marks gaps", async () => {
    const files = { "a.txt": "1\n2 hit\n3\n4 hit\n5\n6\n7\n8 hit\n9", "b.txt": "hit\n" };
    expect(await search(files, { pattern: "hit", context: 1 })).toMatchObject({
      data: {
        matches: [
          { path: "a.txt", line: 2, text: "2 hit", before: ["1"], after: ["3"] },
          { path: "a.txt", line: 4, text: "4 hit", before: ["3"], after: ["5"] },
          { path: "a.txt", line: 8, text: "8 hit", before: ["7"], after: ["9"] },
          { path: "b.txt", line: 1, text: "hit", before: [], after: [] },
        ],
      },
      text: [
        ...["a.txt-1-1", "a.txt:2:2 hit", "a.txt-3-3", "a.txt:4:4 hit", "a.txt-5-5", "--"],
        ...["a.txt-7-7", "a.txt:8:8 hit", "a.txt-9-9", "--", "b.txt:1:hit"],
      ].join("\n"),
    });
    expect(await textOf(files, { pattern: "4 hit", before: 2 })).toEqual([
      "a.txt-2-2 hit",
      "a.txt-3-3",
      "a.txt:4:4 hit",
    ]);
    expect(await textOf(files, { pattern: "4 hit", after: 9, before: 0 })).toEqual([
      ...["a.txt:4:4 hit", "a.txt-5-5", "a.txt-6-6", "a.txt-7-7", "a.txt-8-8 hit", "a.txt-9-9"],
    ]);
  });

  it("lists the files, or counts their matching lines", async () => {
    const files = { "a.txt": "hit hit\nno\nhit", "b.txt": "no", "c/d.txt": "hit\n" };
    expect(await search(files, { pattern: "hit", mode: "files" })).toMatchObject({
      data: { mode: "files", matches: [], files: [{ path: "a.txt" }, { path: "c/d.txt" }] },
      text: "a.txt\nc/d.txt",
    });
    expect(await search(files, { pattern: "hit", mode: "count" })).toMatchObject({
      data: {
        mode: "count",
        matches: [],
        files: [
          { path: "a.txt", count: 2 },
          { path: "c/d.txt", count: 1 },
        ],
      },
      text: "a.txt:2\nc/d.txt:1",
    });
  });

  it("stops at the limit for all files together, and reports it", async () => {
    const files = { "a.txt": "hit\nhit\nhit\n", "b.txt": "hit\nhit\nhit\n" };
    const { data, continuation } = await search(files, { pattern: "hit", limit: 4 });
    expect([data.matches.length, data.limited, continuation]).toEqual([
      4,
      true,
      "Stopped after 4 matching lines; there are more. Use a longer pattern, or give `path`, or give `glob`, or give `type`, or raise `limit`.",
    ]);
    const exact = await search(files, { pattern: "hit", limit: 6 });
    expect([exact.data.matches.length, exact.data.limited, exact.continuation]).toEqual([
      6,
      false,
      undefined,
    ]);
    for (const mode of ["files", "count"] as const) {
      const one = await search(files, { pattern: "hit", mode, limit: 1 });
      expect([one.data.files.length, one.data.limited]).toEqual([1, true]);
      const two = await search(files, { pattern: "hit", mode, limit: 2 });
      expect([two.data.files.length, two.data.limited]).toEqual([2, false]);
    }
  });

  it("does not show context of a match beyond the limit", async () => {
    const files = { "a.txt": "1 hit\n2\n3\n4\n5\n6 hit\n7\n" };
    expect(await textOf(files, { pattern: "hit", limit: 1, context: 2 })).toEqual([
      "a.txt:1:1 hit",
      "a.txt-2-2",
      "a.txt-3-3",
    ]);
  });

  it.each<[string, GrepInput, string[]]>([
    [
      "a regular expression",
      { pattern: "fun\\w+ (main|open)\\b" },
      ["src/app.ts:3:export function main() {", "src/open.ts:1:export function open() {"],
    ],
    ["plain text", { pattern: "open();", literal: true }, ["src/app.ts:4:  return open();"]],
    [
      "text in any case",
      { pattern: "OPEN THE", ignore_case: true },
      ["README.md:1:Open the door with open()."],
    ],
    ["inline flags", { pattern: "(?i)DOOR'" }, ["src/open.ts:2:  return 'door';"]],
    [
      "whole words",
      { pattern: "door", whole_word: true },
      ["README.md:1:Open the door with open().", "src/open.ts:2:  return 'door';"],
    ],
    ["line starts and ends", { pattern: "^\\}$" }, ["src/app.ts:5:}", "src/open.ts:3:}"]],
    [
      "text across lines",
      { pattern: "\\{\\n  return", multiline: true },
      [
        "src/app.ts:3:export function main() {",
        "src/app.ts:4:  return open();",
        "src/open.ts:1:export function open() {",
        "src/open.ts:2:  return 'door';",
      ],
    ],
    ["empty lines", { pattern: "^$", path: "src" }, ["src/app.ts:2:"]],
    ["every line", { pattern: "", path: "README.md" }, ["README.md:1:Open the door with open()."]],
    ["a pattern that looks like a flag", { pattern: "-e|--|door'" }, ["src/open.ts:2:  return 'door';"]],
  ])("finds %s", async (_, input, expected) => {
    expect(await textOf(program, input)).toEqual(expected);
  });

  it("reports what was searched when nothing matches", async () => {
    const files = { "a/b.txt": "x", "a/c.txt": "y" };
    const searched = name === "ripgrep" ? "" : " (2 files searched)";
    expect(await textOf(files, { pattern: "z", path: "a" })).toEqual([
      `Nothing in a matches${searched}. Not searched: hidden and ignored files; set hidden or no_ignore to include them.`,
    ]);
    expect(await textOf(files, { pattern: "z", hidden: true })).toEqual([
      `Nothing in the workspace matches${searched}. Not searched: ignored files; set no_ignore to include them.`,
    ]);
    expect(await textOf(files, { pattern: "z", hidden: true, no_ignore: true })).toEqual([
      `Nothing in the workspace matches${searched}.`,
    ]);
    expect(await textOf(files, { pattern: "z", path: "a/b.txt" })).toEqual(["No line of a/b.txt matches."]);
  });

  it("decodes every encoding, and invalid bytes, like ripgrep", async () => {
    const files = {
      "crlf.txt": "hit\r\nno\r\nlast hit",
      "latin1.txt": Buffer.from("caf\xe9 hit\n", "latin1"),
      "mark.txt": "\uFEFFhit with mark\nand hit\n",
      "utf16be.txt": Buffer.from("\uFEFFhit wide\r\nno\r\nand hit\r\n", "utf16le").swap16(),
      "utf16le.txt": Buffer.from("\uFEFFhit wide ü\n", "utf16le"),
      "utf8.txt": "größer 日本 😀 hit\n",
    };
    expect(await textOf(files, { pattern: "hit" })).toEqual([
      "crlf.txt:1:hit",
      "crlf.txt:3:last hit",
      "latin1.txt:1:caf\uFFFD hit",
      "mark.txt:1:hit with mark",
      "mark.txt:2:and hit",
      "utf16be.txt:1:hit wide",
      "utf16be.txt:3:and hit",
      "utf16le.txt:1:hit wide ü",
      "utf8.txt:1:größer 日本 😀 hit",
    ]);
    expect(await textOf(files, { pattern: "hit$" })).toEqual([
      "crlf.txt:1:hit",
      "crlf.txt:3:last hit",
      "latin1.txt:1:caf\uFFFD hit",
      "mark.txt:2:and hit",
      "utf16be.txt:3:and hit",
      "utf8.txt:1:größer 日本 😀 hit",
    ]);
    expect(await textOf(files, { pattern: "^hit" })).toEqual([
      "crlf.txt:1:hit",
      "mark.txt:1:hit with mark",
      "utf16be.txt:1:hit wide",
      "utf16le.txt:1:hit wide ü",
    ]);
    expect(await textOf(files, { pattern: "\\r$", mode: "count" })).toEqual(["crlf.txt:2", "utf16be.txt:3"]);
    expect(await textOf(files, { pattern: "caf. |\\p{Han}{2} .", mode: "files" })).toEqual(["utf8.txt"]);
    expect(await textOf(files, { pattern: "hit", context: 1, path: "utf16be.txt" })).toEqual([
      "utf16be.txt:1:hit wide",
      "utf16be.txt-2-no",
      "utf16be.txt:3:and hit",
    ]);
  });

  it("skips binary files, and reports one that was requested", async () => {
    const files = { "a.bin": Buffer.from("hit\0hit\n"), "b.txt": "hit\n" };
    expect((await search(files, { pattern: "hit" })).data.matches).toEqual([
      { path: "b.txt", line: 1, text: "hit" },
    ]);
    expect(await textOf(files, { pattern: "hit", path: "a.bin" })).toEqual([
      "a.bin is a binary file; the pattern matches in it.",
    ]);
    expect(await textOf(files, { pattern: "miss", path: "a.bin" })).toEqual([
      "a.bin is a binary file; the pattern does not match in it.",
    ]);
  });

  it("cuts long lines around the match", async () => {
    const files = {
      "near.txt": `hit${"a".repeat(1000)}\n`,
      "far.txt": `${"ü".repeat(600)}hit${"b".repeat(1000)}\nshort hit\n`,
      "end.txt": `${"c".repeat(600)}hit`,
    };
    expect(await textOf(files, { pattern: "hit" })).toEqual([
      `end.txt:1:[…] ${"c".repeat(100)}hit`,
      `far.txt:1:[…] ${"ü".repeat(100)}hit${"b".repeat(397)} […]`,
      "far.txt:2:short hit",
      `near.txt:1:hit${"a".repeat(497)} […]`,
    ]);
  });

  it("supports names of every kind", async () => {
    const files = {
      "-e": "hit\n",
      "--files/with space.txt": "hit\n",
      "new\nline.txt": "hit\n",
      "tab\tand:12:colon": "hit\n",
      "ünï/ç.txt": "hit\n",
      "[a]*.txt": "hit\n",
    };
    expect(await textOf(files, { pattern: "hit" })).toEqual([
      "--files/with space.txt:1:hit",
      "-e:1:hit",
      "[a]*.txt:1:hit",
      '"new\\nline.txt":1:hit',
      '"tab\\tand:12:colon":1:hit',
      "ünï/ç.txt:1:hit",
    ]);
    expect(await textOf(files, { pattern: "hit", path: "-e" })).toEqual(["-e:1:hit"]);
    expect(await textOf(files, { pattern: "hit", path: "--files" })).toEqual([
      "--files/with space.txt:1:hit",
    ]);
    expect(await textOf(files, { pattern: "hit", path: "[a]*.txt" })).toEqual(["[a]*.txt:1:hit"]);
  });

  const ignoring = {
    ".gitignore": "*.log\nbuild/\n!keep.log\n",
    ".ignore": "secret.txt\n",
    ".rgignore": "!secret.txt\nmine.txt\n",
    ".hidden": "hit\n",
    ".github/flow.yml": "hit\n",
    ".git/config": "hit\n",
    "a.log": "hit\n",
    "keep.log": "hit\n",
    "secret.txt": "hit\n",
    "mine.txt": "hit\n",
    "build/out.txt": "hit\n",
    "src/a.txt": "hit\n",
    "src/.gitignore": "/deep/*\n!/deep/kept.txt\n",
    "src/deep/lost.txt": "hit\n",
    "src/deep/kept.txt": "hit\n",
    "src/deep/.git/info/exclude": "kept.txt\n",
    "src/repo/.git/info/exclude": "excluded.txt\n",
    "src/repo/excluded.txt": "hit\n",
    "src/repo/b.log": "hit\n",
  };

  it("applies ignore files with ripgrep's precedence, including nested repositories", async () => {
    expect(await textOf(ignoring, { pattern: "hit", mode: "files" })).toEqual([
      "keep.log",
      "secret.txt",
      "src/a.txt",
      "src/deep/lost.txt",
      "src/repo/b.log",
    ]);
  });

  it("applies all ignore files together without a repository", async () => {
    const { ".git/config": _, ...loose } = ignoring;
    expect(await textOf(loose, { pattern: "hit", mode: "files" })).toEqual([
      "keep.log",
      "secret.txt",
      "src/a.txt",
      "src/deep/kept.txt",
    ]);
  });

  it("searches hidden or ignored files on request, and .git only by path", async () => {
    expect(await textOf(ignoring, { pattern: "hit", mode: "files", hidden: true })).toEqual([
      ".github/flow.yml",
      ".hidden",
      "keep.log",
      "secret.txt",
      "src/a.txt",
      "src/deep/lost.txt",
      "src/repo/b.log",
    ]);
    expect(await textOf(ignoring, { pattern: "hit", mode: "files", no_ignore: true })).toEqual([
      "a.log",
      "build/out.txt",
      "keep.log",
      "mine.txt",
      "secret.txt",
      "src/a.txt",
      "src/deep/kept.txt",
      "src/deep/lost.txt",
      "src/repo/b.log",
      "src/repo/excluded.txt",
    ]);
    expect(await textOf(ignoring, { pattern: "hit", mode: "files", path: ".git" })).toEqual([".git/config"]);
    expect(await textOf(ignoring, { pattern: "hit", mode: "files", path: "build" })).toEqual([
      "build/out.txt",
    ]);
    expect(await textOf(ignoring, { pattern: "hit", mode: "files", path: "a.log" })).toEqual(["a.log"]);
    expect(await textOf(ignoring, { pattern: "hit", mode: "files", path: "src/deep" })).toEqual(
      await textOf(ignoring, { pattern: "hit", mode: "files", path: "src/deep", hidden: true }),
    );
  });

  it("shows a hidden file that an ignore file includes", async () => {
    const files = { ".gitignore": "!.shown\n", ".shown": "hit\n", ".other": "hit\n" };
    expect(await textOf(files, { pattern: "hit" })).toEqual([".shown:1:hit"]);
  });

  const sources = {
    "a.ts": "hit\n",
    "a.test.ts": "hit\n",
    "b.py": "hit\n",
    ".c.ts": "hit\n",
    "lib/d.ts": "hit\n",
    "lib/e/f.ts": "hit\n",
    "node_modules/g.ts": "hit\n",
    "node_modules/Makefile": "hit\n",
    "lib/node_modules/h.ts": "hit\n",
    Makefile: "hit\n",
    ".gitignore": "node_modules\n",
  };

  it.each<[GrepInput["glob"], string | undefined, string[]]>([
    ["*.ts", undefined, ["a.test.ts", "a.ts", "lib/d.ts", "lib/e/f.ts"]],
    ["**/*.ts", undefined, ["a.test.ts", "a.ts", "lib/d.ts", "lib/e/f.ts"]],
    ["/*.ts", undefined, ["a.test.ts", "a.ts"]],
    ["lib/**", undefined, ["lib/d.ts", "lib/e/f.ts"]],
    ["*", undefined, ["Makefile", "a.test.ts", "a.ts", "b.py", "lib/d.ts", "lib/e/f.ts"]],
    [["*.ts", "!*.test.ts"], undefined, ["a.ts", "lib/d.ts", "lib/e/f.ts"]],
    [["*", "!*.ts"], undefined, ["Makefile", "b.py"]],
    [["!lib"], undefined, ["Makefile", "a.test.ts", "a.ts", "b.py"]],
    ["!*.{ts,py}", undefined, ["Makefile"]],
    [["!*.ts", "a.ts"], undefined, ["a.ts"]],
    [undefined, "ts", ["a.test.ts", "a.ts", "lib/d.ts", "lib/e/f.ts"]],
    [undefined, "make", ["Makefile"]],
    ["lib/**", "ts", ["lib/d.ts", "lib/e/f.ts"]],
    ["node_modules/**", undefined, []],
    // A pattern that begins with a dot names hidden files.
    [".c.ts", undefined, [".c.ts"]],
  ])("filters by glob %j and type %s without showing more", async (glob, type, expected) => {
    const { data } = await search(sources, { pattern: "hit", mode: "files", glob, type });
    expect(data.files.map((file) => file.path)).toEqual(expected);
  });

  it("matches globs relative to the searched directory", async () => {
    const files = { "[x]/lib/a.ts": "hit\n", "[x]/b.ts": "hit\n", "lib/c.ts": "hit\n" };
    expect(await textOf(files, { pattern: "hit", mode: "files", path: "[x]", glob: "lib/*.ts" })).toEqual([
      "[x]/lib/a.ts",
    ]);
    expect(await textOf(files, { pattern: "hit", mode: "files", path: "[x]", glob: "!/b.ts" })).toEqual([
      "[x]/lib/a.ts",
    ]);
  });

  it.each<[string, GrepInput, string]>([
    ["pattern", { pattern: "a(" }, "Bad regex at character 2: unclosed group\n  a(\n   ^"],
    [
      "newline",
      { pattern: "a\\nb" },
      "Bad regex at character 2: line ends can be matched only with multiline\n  a\\nb\n   ^^",
    ],
    ["glob", { pattern: "a", glob: "[" }, "Bad glob at character 1: unclosed class\n  [\n  ^"],
    ["type", { pattern: "a", type: "rusty" }, 'There is no file type "rusty"'],
  ])("refuses an invalid %s", async (_, input, message) => {
    await expect(search(program, input)).rejects.toThrow(
      expect.objectContaining({ code: "invalid-input", message }),
    );
  });

  it("refuses paths that do not exist or lead outside", async () => {
    await expect(search(program, { pattern: "a", path: "nowhere" })).rejects.toMatchObject({
      code: "not-found",
    });
    await expect(search(program, { pattern: "a", path: "../x" })).rejects.toMatchObject({
      code: "outside-workspace",
    });
  });

  it("with ripgrep finishes a pattern that would backtrack forever, and times out otherwise", {
    tags: "slow",
  }, async () => {
    const files = { "a.txt": `${"a".repeat(60)}!\n`, "b.txt": "aaa\n" };
    const searching = search(files, { pattern: "^(a|aa)+$" });
    if (name === "ripgrep") await expect(searching).resolves.toMatchObject({ text: "b.txt:1:aaa" });
    else await expect(searching).rejects.toMatchObject({ code: "timeout" });
  });

  it("leaves patterns that only ripgrep supports to ripgrep", async () => {
    const searching = search(program, { pattern: "(?-u:.)oor'" });
    if (name === "ripgrep")
      await expect(searching).resolves.toMatchObject({ text: "src/open.ts:2:  return 'door';" });
    else await expect(searching).rejects.toMatchObject({ code: "unsupported" });
  });
});

describe("a multiline search.grep in a file that is too large for it", () => {
  const handle = "out_0123456789ab";
  const text = "one\ntwo\n".repeat(20_000);

  function openWithLargeFiles(): Environment {
    const workspace = writeWorkspace({ "large.txt": text, "small.txt": "one\ntwo\n" });
    const outputs = writeWorkspace({ [handle]: text });
    for (const file of [path.join(workspace, "large.txt"), path.join(outputs, handle)]) {
      fs.truncateSync(file, 65 * 1024 * 1024);
    }
    const environment = openLocalEnvironment({ workspace, outputs, programs: { rg: undefined } });
    closing.push(() => environment.close());
    return environment;
  }

  it("lists the file as skipped in a directory", async () => {
    const input = { pattern: "one\\ntwo", multiline: true };
    const { data, text } = await searchGrep.run(input, toolContext(openWithLargeFiles()));
    expect([text, data.skipped]).toEqual([
      "small.txt:1:one\nsmall.txt:2:two\n" +
        "[too large to search across lines: large.txt; search without multiline]",
      { binary: 0, unreadable: [], partly: [], tooLarge: ["large.txt"] },
    ]);
  });

  it.each([handle, "large.txt"])("refuses %s with a hint", async (path) => {
    const input = { pattern: "one\\ntwo", multiline: true, path };
    const error = await searchGrep.run(input, toolContext(openWithLargeFiles())).catch((thrown) => thrown);
    expect([error.code, error.message, error.hint]).toEqual([
      "too-large",
      `${path} is too large to search across lines: the limit is 64 MB`,
      "Search without multiline, or narrow the search to smaller files.",
    ]);
  });
});
