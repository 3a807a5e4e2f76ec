import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { codeFixture } from "../../../test/support/code-fixture.ts";
import type { ToolFixture } from "../../../test/support/tool-fixture.ts";
import { ToolError } from "../../contract/error.ts";
import { type CodeRenameInput, codeRename } from "./rename.ts";

describe("a rename", () => {
  /** For renames that ask the index, which takes a second to start. */
  const shared = codeFixture({
    "a.py": Buffer.from("\ufeffdéf = 1\r\nprint(déf, '😀')\r\n"),
    "b.py": Buffer.from("# é\nb = 1\nprint(b)\n", "latin1"),
    "a.ts": "export const shared = 1;\nconst own = shared;\n",
    "b/c.ts": "import { shared, own } from '../a';\n",
    "d.txt": "shared\n",
    "e.js": "unshared;\n",
    "g.py": "def f():\n    g = 1\n    return g\ndef g():\n    pass\n",
  });
  afterAll(() => shared[Symbol.asyncDispose]());

  it("declares a write of the file, and a read of all others", () => {
    expect(codeRename.accesses({ path: "a.ts", name: "a", new_name: "b" })).toEqual([
      { kind: "write", path: "a.ts" },
      { kind: "read", path: "." },
    ]);
  });

  it("succeeds even if other files cannot be searched", async () => {
    await using opened = codeFixture({ "a.ts": "export function load() {}\n" });
    const { code } = opened.context;
    const context = {
      ...opened.context,
      code: {
        outline: code.outline.bind(code),
        occurrences: code.occurrences.bind(code),
        index: () => Promise.reject(new ToolError("timeout", "The index takes too long")),
      },
    };
    const { data, text } = await codeRename.run({ path: "a.ts", name: "load", new_name: "read" }, context);
    expect([contentOf(opened, "a.ts"), data.mentionedIn, text.split("\n").at(-1)]).toEqual([
      "export function read() {}\n",
      [],
      "Not all other files could be searched for load: The index takes too long",
    ]);
  });

  it("changes every reference to the same symbol, and returns the diff", async () => {
    await using opened = codeFixture({
      "a.ts":
        "export function f(count: number) {\n  // count\n  return { count, n: o.count + count };\n}\nconst count = 1;\n",
    });
    const { data, text } = await opened.run(codeRename, {
      path: "a.ts",
      name: "count",
      new_name: "total",
      line: 1,
    });
    expect(contentOf(opened, "a.ts")).toBe(
      "export function f(total: number) {\n  // count\n  return { count: total, n: o.count + total };\n}\nconst count = 1;\n",
    );
    const [file] = data.files;
    expect({ places: data.places, mentionedIn: data.mentionedIn }).toEqual({ places: 3, mentionedIn: [] });
    expect(text).toBe(
      [
        "Renamed count to total: 3 occurrences.",
        `Edited a.ts at lines 1 and 3 (${file?.beforeHash?.slice(0, 12)} → ${file?.afterHash?.slice(0, 12)}):`,
        "(not changed in comments or strings: line 2)",
        "@@ -1,5 +1,5 @@",
        "-export function f(count: number) {",
        "+export function f(total: number) {",
        "   // count",
        "-  return { count, n: o.count + count };",
        "+  return { count: total, n: o.count + total };",
        " }",
        " const count = 1;",
      ].join("\n"),
    );
  });

  it("keeps encoding, byte-order mark and line endings", { tags: "slow" }, async () => {
    const opened = shared;
    await opened.run(codeRename, { path: "a.py", name: "déf", new_name: "x" });
    await opened.run(codeRename, { path: "b.py", name: "b", new_name: "bee" });
    expect([readFileSync(opened.at("a.py")), readFileSync(opened.at("b.py"))]).toEqual([
      Buffer.from("\ufeffx = 1\r\nprint(x, '😀')\r\n"),
      Buffer.from("# é\nbee = 1\nprint(bee)\n", "latin1"),
    ]);
  });

  it("lists other files that mention an exported name", { tags: "slow" }, async () => {
    const opened = shared;
    const { data, text } = await opened.run(codeRename, { path: "a.ts", name: "shared", new_name: "common" });
    expect(data.mentionedIn).toEqual(["b/c.ts"]);
    expect(text.split("\n").at(-1)).toBe(
      "Other files mention shared and were not changed: b/c.ts. See code.references.",
    );
    const own = await opened.run(codeRename, { path: "a.ts", name: "own", new_name: "mine" });
    expect(own.data.mentionedIn).toEqual([]);
  });

  it("reports code that can look up a name by its text", async () => {
    await using opened = codeFixture({ "a.py": "def f(x):\n    y = x\n    return eval('y')\n" });
    const { data } = await opened.run(codeRename, { path: "a.py", name: "y", new_name: "z" });
    expect(data.files[0]?.notes).toEqual([
      "not changed in comments or strings: line 3",
      "`eval(` on line 3 can find names by their text",
    ]);
  });

  it("renames only symbols of the given kind", { tags: "slow" }, async () => {
    await shared.run(codeRename, { path: "g.py", name: "g", new_name: "h", kind: "function" });
    expect(contentOf(shared, "g.py")).toBe("def f():\n    g = 1\n    return g\ndef h():\n    pass\n");
  });

  it("can be previewed", async () => {
    await using opened = codeFixture({ "a.py": "a = 1\nprint(a)\n" });
    const shown = await codeRename.preview?.({ path: "a.py", name: "a", new_name: "b" }, opened.context);
    expect(shown).toBe("--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n-a = 1\n-print(a)\n+b = 1\n+print(b)\n");
    expect(contentOf(opened, "a.py")).toBe("a = 1\nprint(a)\n");
  });
});

describe("a rename is refused", () => {
  const opened = codeFixture();
  afterAll(() => opened[Symbol.asyncDispose]());

  const refused: Readonly<
    Record<string, readonly [Record<string, string>, Omit<CodeRenameInput, "path">, string]>
  > = {
    "when several symbols have the name": [
      { "a.ts": "{ let a; }\n{ let a; }\n" },
      { name: "a", new_name: "b" },
      "ambiguous-match: `a` has 2 meanings here, defined on line 1, line 2 | Give the `line` of one of them.",
    ],
    "when several symbols on one line have the name": [
      { "a.ts": "{ let a; } { let a; }\n" },
      { name: "a", new_name: "b", line: 1 },
      "ambiguous-match: `a` has 2 meanings here, defined at 1:7, 1:18 | " +
        "Give a `line` with only one of them. If there is none: " +
        "find occurrences with code.references, and change the right ones with edit.replace.",
    ],
    "when the new name already exists": [
      { "a.ts": "let a = 1, b = 2;\n" },
      { name: "a", new_name: "b" },
      "invalid-input: `b` already has another meaning (line 1): the rename would change what other code means | Choose another name.",
    ],
    "when an inner scope would capture the new name": [
      { "a.ts": "const a = 1;\nfunction f(b) { return a + b; }\n" },
      { name: "a", new_name: "b" },
      "invalid-input: `b` already has another meaning (line 2): the rename would change what other code means | Choose another name.",
    ],
    "when the new name would capture another symbol": [
      { "a.ts": "function f(a) {\n  return a + b;\n}\n" },
      { name: "a", new_name: "b" },
      "invalid-input: `b` already has another meaning (line 2): the rename would change what other code means | Choose another name.",
    ],
    "when a pattern would match it": [
      { "a.rs": "const LIMIT: u8 = 3;\nfn f(v: u8) -> u8 { match v { n => n + 1 } }\n" },
      { name: "LIMIT", new_name: "n" },
      "invalid-input: `n` already has another meaning (line 2): the rename would change what other code means | Choose another name.",
    ],
    "when a macro uses a name that would be hidden": [
      { "a.c": "#define LIMIT limit\nint limit;\nint f(void) { int q = 1; return q + LIMIT; }\n" },
      { name: "q", new_name: "limit" },
      "invalid-input: `limit` already has another meaning (line 1): the rename would change what other code means | Choose another name.",
    ],
    "when a macro uses it": [
      { "a.c": "#define LIMIT limit\nint limit;\n" },
      { name: "limit", new_name: "most" },
      `unsupported: \`limit\` on line 1 may or may not mean the same | ${byHand()}`,
    ],
    "when another symbol may inherit or import it": [
      { "a.rs": "mod m { pub fn g() {} }\nuse m::*;\nfn f() { g() }\n" },
      { name: "g", new_name: "h", line: 1 },
      `unsupported: \`g\` on line 3 may mean the same, defined elsewhere | ${byHand()}`,
    ],
    "when the new name is a keyword": [
      { "a.rs": "fn f(a: u8) {}\n" },
      { name: "a", new_name: "match" },
      "invalid-input: `match` is not a valid name in rust | It is a reserved word: choose another name.",
    ],
    "for keywords": [
      { "a.go": "package p\nfunc f() { _, b := g(); h(b) }\n" },
      { name: "_", new_name: "a" },
      "invalid-input: `_` is a reserved word of go and cannot be renamed | undefined",
    ],
    "when the new name is not an identifier": [
      { "a.go": "package p\nvar a int\n" },
      { name: "a", new_name: "a-b" },
      "invalid-input: `a-b` is not a valid name in go | Choose another name.",
    ],
    "when a macro may refer to it": [
      { "a.rs": "fn f(a: u8) {\n    custom!(a);\n}\n" },
      { name: "a", new_name: "b" },
      `unsupported: \`a\` on line 2 may or may not mean the same | ${byHand()}`,
    ],
    "when it may be the key of a map, or a field, of a type that is elsewhere": [
      { "a.go": "package p\nconst limit = 1\n\nvar s = Settings{limit: 2}\n" },
      { name: "limit", new_name: "most" },
      `unsupported: \`limit\` on line 4 may or may not mean the same | ${byHand()}`,
    ],
    "when callers can name a parameter": [
      { "a.py": "def f(a): pass\nf(a=1)\n" },
      { name: "a", new_name: "b" },
      `unsupported: \`a\` on line 2 is named in a call, which may mean this parameter | ${byHand()}`,
    ],
    "for members": [
      { "a.ts": "class A { f() { return this.f(); } }\n" },
      { name: "f", new_name: "g" },
      `unsupported: \`f\` is a member (line 1), and its uses depend on types | ${byHand()}`,
    ],
    "for symbols that are defined elsewhere": [
      { "a.py": "print(1)\n" },
      { name: "print", new_name: "say" },
      "unsupported: `print` is not defined in this file, only used on line 1 | " +
        "Rename it in the file that defines it, which code.references finds.",
    ],
    "when it does not exist": [
      { "a.py": "# a\nb = 'a'\n" },
      { name: "a", new_name: "c" },
      "no-match: `a` does not occur in the code of this file | " +
        "Spell it as in the file. Use edit.replace for text in comments and strings.",
    ],
    "when it is not on the line": [
      { "a.py": "a = 1\n\nprint(a)\n" },
      { name: "a", new_name: "c", line: 2 },
      "no-match: `a` does not occur on line 2 | Give a `line` where it occurs: lines 1, 3.",
    ],
    "for languages whose scopes are not supported": [
      { "a.json": '{ "a": 1 }\n' },
      { name: "a", new_name: "b" },
      `unsupported: Scopes of json are not supported, so a rename of \`a\` could change too much | ${byHand()}`,
    ],
    "when the file does not parse": [
      { "a.py": "def f(:\n    a = 1\n" },
      { name: "a", new_name: "b" },
      "unsupported: a.py does not parse (",
    ],
  };
  it.each(Object.entries(refused))("%s", async (_, [files, input, expected]) => {
    const [path, content] = Object.entries(files)[0]!;
    writeFileSync(opened.at(path), content);
    const { code, message, hint } = await opened.refusal(codeRename, { path, ...input });
    expect(
      `${code}: ${message} | ${hint}`.slice(0, expected.endsWith("(") ? expected.length : undefined),
    ).toBe(expected);
    expect(contentOf(opened, path)).toBe(content);
  });
});

function byHand(): string {
  return "Find occurrences with code.references, and change the right ones with edit.replace.";
}

function contentOf(opened: ToolFixture, path: string): string {
  return readFileSync(opened.at(path), "utf8");
}
