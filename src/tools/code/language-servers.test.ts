import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  noSandboxHere,
  type ServedProject,
  servedProject,
  typescriptPackages,
} from "../../../test/support/language-servers/served-project.ts";

const missing = await noSandboxHere();
const rule = "allow run node_modules/typescript/bin/tsc --lsp --stdio";

const typescriptFiles = {
  "tsconfig.json": JSON.stringify({
    compilerOptions: {
      ...{ strict: true, noEmit: true, module: "nodenext", target: "es2022", lib: ["es2022"], types: [] },
      allowImportingTsExtensions: true,
    },
  }),
  "package.json": '{ "type": "module" }',
  "src/greet.ts":
    "/** Greets one person. */\nexport function greet(name: string): string {\n  return `Hello, ${name}!`;\n}\n",
  "src/main.ts":
    'import { greet } from "./greet.ts";\n\nexport const greeters = { greet };\nexport const hello = greet("Ada");\n',
  "src/other.ts": "/** Another one. */\nexport const other = { greet: 1 };\n// greet\n",
};

describe.skipIf(missing !== undefined)("the code tools with TypeScript 7", () => {
  let project: ServedProject;
  const call = (name: string, input: object) => project.crib.call(name, input);
  const text = async (name: string, input: object) => {
    const { content, error } = await call(name, input);
    return error === null ? content : `${error.code}: ${error.message}`;
  };
  const read = (path: string) => readFileSync(project.at(path), "utf8");

  beforeAll(async () => {
    project = await servedProject({ files: typescriptFiles, packages: typescriptPackages, rules: [rule] });
  });
  afterAll(() => project[Symbol.asyncDispose]());

  it("show the type and the documentation of a symbol", { tags: "slow" }, async () => {
    expect(await text("code.hover", { path: "src/main.ts", name: "greet" })).toBe(
      "(alias) function greet(name: string): string\nGreets one person.",
    );
  });

  it("find the definition, in another file", async () => {
    const { content, data } = await call("code.definition", { path: "src/main.ts", name: "greet", line: 4 });
    expect([content, data]).toEqual([
      "`greet`: 1 definition\nsrc/greet.ts\n  2: export function greet(name: string): string {",
      {
        locations: [
          {
            path: "src/greet.ts",
            line: 2,
            column: 17,
            text: "export function greet(name: string): string {",
          },
        ],
        server: "typescript 7.0.2",
      },
    ]);
  });

  it("find the uses of one symbol, and not of others with its name", { tags: "slow" }, async () => {
    expect(await text("code.references", { name: "greet", path: "src/greet.ts" })).toBe(
      [
        "`greet`: 1 definition, 3 uses in 2 files",
        "src/greet.ts",
        "  2 (definition): export function greet(name: string): string {",
        "src/main.ts",
        '  1: import { greet } from "./greet.ts";',
        "  3: export const greeters = { greet };",
        '  4: export const hello = greet("Ada");',
      ].join("\n"),
    );
  });

  it("list the errors of a project, and know what other programs write", { tags: "slow" }, async () => {
    expect(await text("code.diagnostics", {})).toBe("No errors or warnings in 3 files.");
    writeFileSync(project.at("src/new.ts"), 'import { greet } from "./greet.ts";\ngreet(1);\n');
    expect(await text("code.diagnostics", {})).toBe(
      "src/new.ts\n  2:7 error TS2345: Argument of type 'number' is not assignable to parameter of type 'string'.",
    );
    expect(await text("code.references", { name: "greet", path: "src/greet.ts" })).toContain(
      "5 uses in 3 files",
    );
    expect(await text("file.delete", { path: "src/new.ts" })).toContain("src/new.ts");
    expect(await text("code.references", { name: "greet", path: "src/greet.ts" })).toContain(
      "3 uses in 2 files",
    );
  });

  it("add only the errors of an edit to its answer", async () => {
    const edit = { path: "src/main.ts", find: 'greet("Ada")', replace: "greet(3)" };
    const { content, data } = await call("edit.replace", edit);
    expect(content.split("\n").slice(-3)).toEqual([
      "This edit adds 1 error:",
      "src/main.ts",
      "  4:28 error TS2345: Argument of type 'number' is not assignable to parameter of type 'string'.",
    ]);
    expect(data).toMatchObject({ newErrors: [{ path: "src/main.ts", line: 4, code: "TS2345" }] });
    const second = await text("edit.replace", { path: "src/main.ts", find: "hello", replace: "goodbye" });
    expect(second).not.toContain("error");
    const whole = await text("file.write", {
      path: "src/main.ts",
      content: "export const x: number = 'a';\n",
    });
    expect(whole.split("\n").slice(1)).toEqual([
      "This edit adds 1 error:",
      "src/main.ts",
      "  1:14 error TS2322: Type 'string' is not assignable to type 'number'.",
    ]);
    await call("journal.undo", { last: 3 });
    expect(read("src/main.ts")).toBe(typescriptFiles["src/main.ts"]);
  });

  it("rename a symbol in all files, in one call that can be undone", async () => {
    const { content } = await call("code.rename", {
      path: "src/main.ts",
      name: "greet",
      new_name: "welcome",
    });
    expect(content).toBe(
      [
        "Renamed greet to welcome by types: 4 occurrences in 2 files.",
        "src/greet.ts: line 2",
        "src/main.ts: lines 1 and 3-4",
        "Still mentioned in text or as another symbol: src/other.ts",
      ].join("\n"),
    );
    expect([read("src/main.ts"), read("src/other.ts")]).toEqual([
      'import { welcome } from "./greet.ts";\n\nexport const greeters = { greet: welcome };\nexport const hello = welcome("Ada");\n',
      typescriptFiles["src/other.ts"],
    ]);
    await call("journal.undo", {});
    expect(["src/greet.ts", "src/main.ts"].map(read)).toEqual([
      typescriptFiles["src/greet.ts"],
      typescriptFiles["src/main.ts"],
    ]);
  });

  it("rename a symbol that another file exports again, and keep that name", async () => {
    writeFileSync(project.at("src/index.ts"), 'export { greet } from "./greet.ts";\n');
    writeFileSync(project.at("src/user.ts"), 'import { greet } from "./index.ts";\ngreet("Ada");\n');
    const input = { path: "src/greet.ts", name: "greet", new_name: "welcome" };
    expect(await text("code.rename", input)).toContain("by types: 5 occurrences in 3 files.");
    expect([read("src/index.ts"), read("src/user.ts")]).toEqual([
      'export { welcome as greet } from "./greet.ts";\n',
      'import { greet } from "./index.ts";\ngreet("Ada");\n',
    ]);
    await call("journal.undo", {});
    for (const path of ["src/index.ts", "src/user.ts"]) rmSync(project.at(path));
  });

  it("refuse a rename to a name that means something else there", async () => {
    const { error } = await call("code.rename", { path: "src/greet.ts", name: "greet", new_name: "hello" });
    expect(error).toMatchObject({
      code: "invalid-input",
      hint: expect.stringContaining("Nothing was changed. Choose another name"),
    });
    expect(read("src/main.ts")).toBe(typescriptFiles["src/main.ts"]);
  });

  it("refuse a rename that would break another file, and name the place", async () => {
    const counts = "export interface Counts { both: number }\nexport const sum = (of: Counts) => of.both;\n";
    writeFileSync(project.at("src/counts.ts"), counts);
    writeFileSync(
      project.at("src/made.ts"),
      'import { sum } from "./counts.ts";\n\nconst made = { both: 1 };\nsum(made);\n',
    );
    const { error } = await call("code.rename", {
      path: "src/counts.ts",
      name: "both",
      line: 1,
      new_name: "all",
    });
    expect(error).toMatchObject({
      message: "The rename to `all` would add 1 error",
      hint: "Nothing was changed. Choose another name, or rename these places too, with edit.replace.",
      output: expect.stringContaining("src/made.ts\n  4:5 error"),
    });
    expect(read("src/counts.ts")).toBe(counts);
    for (const path of ["src/counts.ts", "src/made.ts"]) rmSync(project.at(path));
  });

  it("name the lines where a symbol occurs when the given line has none", async () => {
    const { error } = await call("code.hover", { path: "src/main.ts", name: "greet", line: 2 });
    expect(error).toEqual({
      code: "no-match",
      message: "`greet` does not occur in the code of line 2",
      hint: "Give a `line` where it occurs: 1, 3, 4.",
      output: undefined,
    });
  });
});

describe.skipIf(missing !== undefined)("the code tools in mode safe", () => {
  it("ask for the other files of a rename, and then show the whole diff", { tags: "slow" }, async () => {
    const previews: (string | undefined)[] = [];
    await using project = await servedProject({
      ...{ files: typescriptFiles, packages: typescriptPackages, mode: "safe" },
      rules: [rule, "allow write src/greet.ts"],
      approve: (request) => {
        previews.push(request.preview);
        return { allow: !request.preview?.startsWith("The preview failed") };
      },
    });
    const input = { path: "src/greet.ts", name: "greet", new_name: "welcome" };
    const first = await project.crib.call("code.rename", input);
    expect([first.error?.code, first.error?.hint]).toEqual([
      "needs-approval",
      'Nothing was changed. Repeat the call with `files`: ["src/main.ts"]',
    ]);
    // A busy machine may not finish the preview in time.
    await expect
      .poll(async () => {
        previews.length = 0;
        const { error } = await project.crib.call("code.rename", { ...input, files: ["src/main.ts"] });
        return [error, previews.length, previews[0]?.match(/^\+.*welcome.*$/gm)?.length];
      })
      .toEqual([null, 1, 4]);
  });
});

describe.skipIf(missing !== undefined)("the code tools without a permitted server", () => {
  it("answer by syntax, and say why if a server is known for the language", { tags: "slow" }, async () => {
    await using project = await servedProject({
      files: { ...typescriptFiles, "a.go": "package greet\n\nfunc hello() {}\n" },
      packages: typescriptPackages,
    });
    const reason = "the language server typescript 7.0.2 comes with the project and may not run";
    const { content } = await project.crib.call("code.references", { name: "greet" });
    expect(content.split("\n").at(-1)).toBe(`Found by name: ${reason}.`);
    const renamed = await project.crib.call("code.rename", {
      ...{ path: "src/greet.ts", name: "greet", new_name: "welcome" },
    });
    expect(renamed.content.split("\n").at(-1)).toBe(`Only this file was changed: ${reason}.`);
    const inGo = await project.crib.call("code.references", { name: "hello", path: "a.go" });
    expect(inGo.content.split("\n").at(-1)).toBe("  3 (definition): func hello() {}");
    const { error } = await project.crib.call("code.diagnostics", {});
    expect(error).toMatchObject({ code: "unavailable", hint: `Ask the user to add this rule: ${rule}` });
  });
});

describe.skipIf(missing !== undefined)("typescript-language-server with TypeScript 5", () => {
  it("answers by types", { tags: "slow" }, async () => {
    await using project = await servedProject({
      files: { ...typescriptFiles, "src/bad.ts": 'export const bad: number = "x";\n' },
      packages: { typescript: "typescript-5", "typescript-language-server": "typescript-language-server" },
      rules: ["allow run node_modules/typescript-language-server/lib/cli.mjs --stdio"],
    });
    const { content } = await project.crib.call("code.definition", { path: "src/main.ts", name: "greet" });
    expect(content).toBe(
      "`greet`: 1 definition\nsrc/greet.ts\n  2: export function greet(name: string): string {",
    );
    const errors = await project.crib.call("code.diagnostics", { path: "src/bad.ts" });
    expect(errors.content).toBe(
      "src/bad.ts\n  1:14 error TS2322: Type 'string' is not assignable to type 'number'.",
    );
    const renamed = await project.crib.call("code.rename", {
      ...{ path: "src/main.ts", name: "greet", new_name: "welcome" },
    });
    expect(renamed.content).toContain("by types: 4 occurrences in 2 files.");
  });
});

describe.skipIf(missing !== undefined)("pyright", () => {
  it("answers by types", { tags: "slow" }, async () => {
    await using project = await servedProject({
      files: {
        "greet.py":
          'def greet(name: str) -> str:\n    """Greets one person."""\n    return "Hello, " + name\n',
        "main.py": "from greet import greet\n\nprint(greet(1))\n",
      },
      packages: { pyright: "pyright" },
      rules: ["allow run node_modules/pyright/langserver.index.js --stdio"],
    });
    const { content } = await project.crib.call("code.definition", { path: "main.py", name: "greet" });
    expect(content).toBe("`greet`: 1 definition\ngreet.py\n  1: def greet(name: str) -> str:");
    const errors = await project.crib.call("code.diagnostics", { path: "main.py" });
    expect(errors.content).toContain("main.py\n  3:13 error reportArgumentType:");
    const renamed = await project.crib.call("code.rename", {
      ...{ path: "main.py", name: "greet", new_name: "welcome" },
    });
    expect(renamed.content).toContain("by types: 3 occurrences in 2 files.");
    expect(readFileSync(project.at("main.py"), "utf8")).toContain("from greet import welcome");
  });
});
