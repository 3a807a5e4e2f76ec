import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { missingHere, openSandboxFixture } from "../../../../test/support/sandbox-fixture.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { toolContext } from "../../../../test/support/tool-context.ts";
import { ToolError } from "../../../contract/error.ts";
import { openLocalEnvironment } from "../../../environment/local/local-environment.ts";
import { formatText } from "./format-text.ts";

describe("a formatter on PATH", () => {
  it("receives the text, and its output is the result", async () => {
    await using opened = fixtureWith({ gofmt: "tr a-z A-Z" });
    expect(await opened.format("a.go", "package a\n")).toEqual({ text: "PACKAGE A\n", command: "gofmt" });
  });

  it("starts in the folder of the file, or of its configuration", async () => {
    await using opened = fixtureWith({ gofmt: "pwd", stylua: 'pwd; echo "$@"' });
    for (const path of ["deep/a.go", "lua/src/my a.lua", "lua/stylua.toml"]) opened.put(path, "");
    expect([await opened.format("deep/a.go", "x"), await opened.format("lua/src/my a.lua", "x")]).toEqual([
      { text: `${opened.workspace}/deep\n`, command: "gofmt" },
      {
        text: `${opened.workspace}/lua\n--stdin-filepath src/my a.lua -\n`,
        command: "stylua --stdin-filepath 'src/my a.lua' -",
      },
    ]);
  });

  it("is chosen by the nearest configuration", async () => {
    await using opened = fixtureWith({ biome: "echo biome", prettier: "echo prettier" });
    opened.put("biome.json", "{}");
    opened.put("web/package.json", '{ "devDependencies": { "prettier": "3" } }');
    for (const path of ["web/src/a.ts", "api/a.ts"]) opened.put(path, "");
    const formats = [await opened.format("web/src/a.ts", "x"), await opened.format("api/a.ts", "x")];
    expect(formats.map(({ text }) => text)).toEqual(["prettier\n", "biome\n"]);
  });

  it("is skipped when it is not installed", async () => {
    await using opened = fixtureWith({ black: "echo black", ruff: undefined });
    opened.put("pyproject.toml", "[tool.ruff]\n[tool.black]\n");
    expect((await opened.format("a.py", "x")).text).toBe("black\n");
  });

  it("gets the Rust edition of the project", async () => {
    await using opened = fixtureWith({ rustfmt: 'echo "$@"' });
    const workspace = '[workspace.package]\nauthors = ["Ada"]\nedition = "2024"\n';
    opened.put("Cargo.toml", `[package]\nedition = "2021"\n${workspace}`);
    opened.put("member/Cargo.toml", "[package]\nedition.workspace = true\n");
    opened.put("inline/Cargo.toml", "[package]\nedition = { workspace = true }\n");
    opened.put("old/Cargo.toml", '[package]\nedition = "2018"\n');
    const paths = ["member/src/a.rs", "inline/src/a.rs", "old/src/a.rs", "a.rs"];
    for (const path of paths) opened.put(path, "");
    const formats = await Promise.all(paths.map((path) => opened.format(path, "x")));
    expect(formats.map(({ text }) => text.replace("--emit stdout --edition ", "").trim())).toEqual([
      "2024",
      "2024",
      "2018",
      "2021",
    ]);
  });

  it("gets the newest Rust edition when the project has none", async () => {
    await using opened = fixtureWith({ rustfmt: 'echo "$@"' });
    opened.put("set/rustfmt.toml", 'edition = "2021"\n');
    for (const path of ["a.rs", "set/a.rs"]) opened.put(path, "");
    const formats = [await opened.format("a.rs", "x"), await opened.format("set/a.rs", "x")];
    expect(formats.map(({ text }) => text)).toEqual(["--emit stdout --edition 2024\n", "--emit stdout\n"]);
  });

  it("keeps the line endings", async () => {
    await using opened = fixtureWith({ gofmt: "tr -d '\\r'" });
    expect((await opened.format("a.go", "a\r\nb\r\n")).text).toBe("a\r\nb\r\n");
    expect((await opened.format("a.go", "a\r\nb\n")).text).toBe("a\nb\n");
  });
});

describe("refuses the result of a formatter", () => {
  const cases: Record<string, readonly [script: string, message: string, output: string | undefined]> = {
    "that fails": [
      "echo 'a.go:1: oh' >&2; exit 2",
      "gofmt failed with exit code 2: a.go was not changed",
      "a.go:1: oh",
    ],
    "that prints nothing": ["true", "gofmt printed nothing: a.go was not changed", undefined],
    "that prints binary data": [
      "printf '\\377\\376\\200'",
      "gofmt printed binary data: a.go was not changed",
      undefined,
    ],
    "that prints far too much": [
      "yes",
      "gofmt printed far more text than the file has: a.go was not changed",
      undefined,
    ],
    "that is killed": ["kill -9 $$", "gofmt was killed: a.go was not changed", undefined],
  };
  it.each(Object.entries(cases))("%s", async (_, [script, message, output]) => {
    await using opened = fixtureWith({ gofmt: script });
    const { code, message: errorText, hint, output: shown } = await opened.refusal("a.go", "package a\n");
    expect({ code, errorText, hint, shown }).toEqual({
      code: "invalid-input",
      errorText: message,
      hint: "Correct the new text, or leave out `run_formatter`.",
      shown: output,
    });
  });
});

describe("without a formatter", () => {
  it("suggests formatters", async () => {
    await using opened = fixtureWith({ zig: undefined });
    const { code, message, hint } = await opened.refusal("a.zig", "x");
    expect({ code, message, hint }).toEqual({
      code: "unavailable",
      message:
        "The project has no formatter for a.zig (The program zig is not available here): it was not changed",
      hint:
        "Supported: zig. " +
        "Install one, leave out `run_formatter`, or run your own with shell.run afterwards.",
    });
  });

  it("reports that none is known", async () => {
    await using opened = fixtureWith({});
    const { code, message, hint } = await opened.refusal("a.xyz", "x");
    expect({ code, message, hint }).toEqual({
      code: "unavailable",
      message: "No formatter is known for a.xyz: it was not changed",
      hint: "Leave out `run_formatter`, or run your own with shell.run afterwards.",
    });
  });

  it("runs no program of the project without a sandbox", async () => {
    await using opened = fixtureWith({});
    opened.put(".prettierrc", "");
    chmodSync(opened.put("node_modules/.bin/prettier", "#!/bin/sh\necho out >../escaped"), 0o755);
    const { code, message } = await opened.refusal("a.css", "x");
    expect({ code, message }).toEqual({
      code: "unavailable",
      message:
        "The project has no formatter for a.css " +
        "(the project's prettier runs only in a sandbox, and none is available): it was not changed",
    });
  });
});

const missing = await missingHere("bwrap");

describe.skipIf(missing)("a formatter of the project", () => {
  it("runs in the sandbox, the nearest first", async () => {
    await using opened = openSandboxFixture("bwrap");
    opened.put(".prettierrc");
    const program = (words: string) =>
      `#!/bin/sh\ncat; echo ${words}; touch ${opened.outside}/escaped 2>/dev/null && echo out; true`;
    chmodSync(opened.put("node_modules/.bin/prettier", program("far")), 0o755);
    chmodSync(opened.put("web/node_modules/.bin/prettier", program("near")), 0o755);
    const context = toolContext(opened.environment);
    expect([
      await formatText({ path: "web/a.css", text: "a\n" }, context),
      await formatText({ path: "b.css", text: "b\n" }, context),
    ]).toEqual([
      { text: "a\nnear\n", command: "prettier --stdin-filepath web/a.css" },
      { text: "b\nfar\n", command: "prettier --stdin-filepath b.css" },
    ]);
  });
});

/** A workspace on a machine with these programs: each is a shell command, or undefined if it is not installed. */
function fixtureWith(scripts: Readonly<Record<string, string | undefined>>) {
  const folder = temporaryFolder();
  const workspace = join(folder.path, "work space");
  const put = (path: string, content: string) => {
    const absolute = join(workspace, path);
    mkdirSync(dirname(absolute), { recursive: true });
    writeFileSync(absolute, content);
    return absolute;
  };
  mkdirSync(workspace);
  const programs = Object.entries(scripts).map(([name, script]) => {
    if (script === undefined) return [name, undefined];
    const program = join(folder.path, name);
    writeFileSync(program, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return [name, program];
  });
  const environment = openLocalEnvironment({ workspace, programs: Object.fromEntries(programs) });
  const format = (path: string, text: string) => formatText({ path, text }, toolContext(environment));
  return {
    workspace,
    put,
    format,
    refusal: async (path: string, text: string): Promise<ToolError> => {
      const error: unknown = await format(path, text).catch((thrown: unknown) => thrown);
      if (error instanceof ToolError) return error;
      throw new Error("It did not fail", { cause: error });
    },
    [Symbol.asyncDispose]: async () => {
      await environment.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}
