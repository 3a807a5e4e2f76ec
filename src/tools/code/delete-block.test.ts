import { describe, expect, it } from "vitest";
import { blockFixture } from "../../../test/support/code-tools/block-fixture.ts";
import { codeDeleteBlock } from "./delete-block.ts";

const { answered, edited, refused } = blockFixture();

describe("code.delete_block", () => {
  it("reports what it deleted", async () => {
    const { text, data } = await answered(codeDeleteBlock, "fn a() {}\n\nfn b() {}\n", {
      path: "a.rs",
      name: "a",
    });
    expect([text.replace(/[0-9a-f]{12}/g, "#"), data.files[0]?.notes, data.block]).toEqual([
      "Edited a.rs at line 1 (# → #):\n(deleted Function a [1-1])\n@@ -1,3 +1,1 @@\n-fn a() {}\n-\n fn b() {}",
      ["deleted Function a [1-1]"],
      undefined,
    ]);
  });

  it.each([
    ["the first block", "a", "def b():\n    pass\n\n\ndef c():\n    pass\n"],
    ["a middle block", "b", "def a():\n    pass\n\n\ndef c():\n    pass\n"],
    ["the last block", "c", "def a():\n    pass\n\n\ndef b():\n    pass\n"],
  ])("deletes %s with the blank lines that only it needed", async (_, name, expected) => {
    const content = "def a():\n    pass\n\n\ndef b():\n    pass\n\n\ndef c():\n    pass\n";
    expect(await edited(codeDeleteBlock, content, { path: "a.py", name })).toBe(expected);
  });

  it.each([
    [
      "its doc comments and attributes",
      "a.rs",
      "use x;\n\n/// Says.\n#[test]\nfn a() {}\n\nfn b() {}\n",
      "a",
      "use x;\n\nfn b() {}\n",
    ],
    [
      "its decorators",
      "a.py",
      "class A:\n    x = 1\n\n    @property\n    def a(self):\n        return 1\n",
      "a",
      "class A:\n    x = 1\n",
    ],
    [
      "its comments, but not those of another",
      "a.go",
      "package a\n\n// A is.\nfunc A() {}\n\n// B is.\nfunc B() {}\n",
      "A",
      "package a\n\n// B is.\nfunc B() {}\n",
    ],
    [
      "the comment after it",
      "a.rs",
      "struct A {\n    x: u8, // the x\n    y: u8, // the y\n}\n",
      "x",
      "struct A {\n    y: u8, // the y\n}\n",
    ],
    [
      "the comma before it, as the last item",
      "a.json",
      '{\n  "a": 1,\n  "b": 2\n}\n',
      "b",
      '{\n  "a": 1\n}\n',
    ],
    ["the comma after it", "a.json", '{\n  "a": 1,\n  "b": 2\n}\n', "a", '{\n  "b": 2\n}\n'],
    ["its comma on one line", "a.json", '{"a":1,"b":{"c":2},"d":3}', "b", '{"a":1,"d":3}'],
    ["the last comma on one line", "a.json", '{"a":1,"b":{"c":2},"d":3}', "d", '{"a":1,"b":{"c":2}}'],
    ["an only key", "a.json", '{ "a": 1 }', "a", "{ }"],
    ["a variant", "a.rs", "enum E { A, B(u8), C }\n", "B", "enum E { A, C }\n"],
    ["the last variant", "a.rs", "enum E { A, B(u8), C }\n", "C", "enum E { A, B(u8) }\n"],
    ["the last variant of lines", "a.ts", "enum E {\n  A,\n  B,\n}\n", "B", "enum E {\n  A,\n}\n"],
    ["an alternative", "a.ml", "type t =\n  | A\n  | B\n  | C\n", "B", "type t =\n  | A\n  | C\n"],
    ["one of several names", "a.ts", "export const a = 1, b = 2;\n", "b", "export const a = 1;\n"],
    ["the first of several names", "a.ts", "export const a = 1, b = 2;\n", "a", "export const b = 2;\n"],
    [
      "a method of an object",
      "a.js",
      "const o = {\n  a() {},\n  b: 1,\n};\n",
      "a",
      "const o = {\n  b: 1,\n};\n",
    ],
    [
      "a property on one line",
      "a.ts",
      "type T = { a: string; b: number };\n",
      "b",
      "type T = { a: string; };\n",
    ],
    ["a rule", "a.css", ".a { top: 0 }\n\n.b { top: 1 }\n", ".a", ".b { top: 1 }\n"],
    [
      "a section",
      "a.md",
      "# A\n\none\n\n## B\n\ntwo\n\n## C\n\nthree\n",
      "B",
      "# A\n\none\n\n## C\n\nthree\n",
    ],
    ["a key with all below it", "a.yaml", "a:\n  b:\n    - x\n  c: 1\nd: 2\n", "a", "d: 2\n"],
    ["a nested key", "a.yaml", "a:\n  b: 1\n  c: 2\n", "c", "a:\n  b: 1\n"],
    ["a table", "a.toml", "[a]\nx = 1\n\n[b]\ny = 2\n", "b", "[a]\nx = 1\n"],
    ["the only block of a file", "a.rs", "fn a() {}\n", "a", ""],
    ["no final newline", "a.rs", "fn a() {}\n\nfn b() {}", "b", "fn a() {}"],
    ["CRLF line endings", "a.rs", "fn a() {}\r\n\r\nfn b() {}\r\n", "a", "fn b() {}\r\n"],
  ])("deletes a block with %s", async (_, path, content, name, expected) => {
    expect(await edited(codeDeleteBlock, content, { path, name })).toBe(expected);
  });

  it("keeps a comma that does not belong to its list", async () => {
    const content = "x = 1,\n\n\ndef f():\n    pass\n";
    expect(await edited(codeDeleteBlock, content, { path: "a.py", name: "f" })).toBe("x = 1,\n");
  });

  it("refuses to leave a body empty if the language forbids it", async () => {
    expect(
      await refused(codeDeleteBlock, "class A:\n    def f(self):\n        pass\n", {
        path: "a.py",
        name: "f",
      }),
    ).toEqual({
      code: "invalid-input",
      message: "a.py: Class A [1-3] must not be empty, and Method f [2-3] is all it contains",
      hint: "Nothing was written. Delete the enclosing block, or replace this one with code.replace_block.",
    });
  });

  it("refuses to delete one half of a preprocessor condition", async () => {
    const content =
      "#ifdef A\nint f(void) {\n#else\nint f(int x) {\n#endif\n  return 1;\n}\nint g(void) { return 2; }\n";
    expect((await refused(codeDeleteBlock, content, { path: "a.c", name: "f" })).message).toBe(
      "a.c would no longer parse:\n4:1: `#endif`, whose other part stays, would become nothing\n" +
        "4 | int g(void) { return 2; }\n  | ^",
    );
  });

  it("refuses a block that differs from the expected one", async () => {
    const input = { path: "a.rs", name: "a", expected_old_block: "fn a() { 1 }" };
    expect((await refused(codeDeleteBlock, "fn a() {}\n", input)).code).toBe("stale");
  });
});
