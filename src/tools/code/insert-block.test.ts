import { describe, expect, it } from "vitest";
import { blockFixture } from "../../../test/support/code-tools/block-fixture.ts";
import { codeInsertBlock } from "./insert-block.ts";

const { answered, edited, refused } = blockFixture();

const tool = `impl MyTool {
    fn execute(&self) -> bool {
        false
    }

    fn other(&self) {}
}
`;

describe("code.insert_block", () => {
  it("inserts after a block with the arguments of the surgical dialect", async () => {
    const { data, text } = await answered(codeInsertBlock, tool, {
      path: "mod.rs",
      kind: "function",
      name: "execute",
      snippet: "\nfn helper() -> bool {\n    true\n}\n",
      module_path: "impl MyTool",
    });
    expect(text.replace(/[0-9a-f]{12}/g, "#")).toBe(
      [
        "Edited mod.rs at lines 6-9 (# → #):",
        "@@ -3,5 +3,9 @@",
        "         false",
        "     }",
        " ",
        "+    fn helper() -> bool {",
        "+        true",
        "+    }",
        "+",
        "     fn other(&self) {}",
        " }",
        "Now Method helper [6-8], block hash #.",
      ].join("\n"),
    );
    expect(data.block).toEqual({
      kind: "method",
      name: "helper",
      firstLine: 6,
      lastLine: 8,
      hash: expect.any(String),
    });
  });

  it.each([
    ["before", "fn a() {}\n\nfn b() {}\n", "a", "fn n() {}", "fn n() {}\n\nfn a() {}\n\nfn b() {}\n"],
    [
      "before",
      "fn a() {}\n\n/// Doc.\nfn b() {}\n",
      "b",
      "fn n() {}",
      "fn a() {}\n\nfn n() {}\n\n/// Doc.\nfn b() {}\n",
    ],
    ["after", "fn a() {}\n\nfn b() {}", "b", "fn n() {}\n", "fn a() {}\n\nfn b() {}\n\nfn n() {}"],
    [
      "after",
      "const A: u8 = 1;\nconst B: u8 = 2;\n\nfn f() {\n}\n",
      "A",
      "const N: u8 = 3;",
      "const A: u8 = 1;\nconst N: u8 = 3;\nconst B: u8 = 2;\n\nfn f() {\n}\n",
    ],
    [
      "after",
      "const A: u8 = 1;\nconst B: u8 = 2;\n\nfn f() {\n}\n",
      "B",
      "fn n() {\n}",
      "const A: u8 = 1;\nconst B: u8 = 2;\n\nfn n() {\n}\n\nfn f() {\n}\n",
    ],
    [
      "inside_end",
      "struct S {\n    a: u8,\n    b: u8,\n}\n",
      "S",
      "n: u8",
      "struct S {\n    a: u8,\n    b: u8,\n    n: u8,\n}\n",
    ],
    [
      "inside_end",
      "struct S {\n    a: u8,\n    b: u8\n}\n",
      "S",
      "n: u8",
      "struct S {\n    a: u8,\n    b: u8,\n    n: u8\n}\n",
    ],
    [
      "inside_start",
      "struct S {\n    a: u8,\n}\n",
      "S",
      "/// New.\nn: u8,",
      "struct S {\n    /// New.\n    n: u8,\n    a: u8,\n}\n",
    ],
    ["inside_end", "enum E { A, B }\n", "E", "N", "enum E { A, B, N }\n"],
    ["inside_start", "enum E { A, B }\n", "E", "N", "enum E { N, A, B }\n"],
    ["after", "enum E { A, B }\n", "A", "N", "enum E { A, N, B }\n"],
    [
      "inside_start",
      "impl A {}\n",
      "A",
      "fn n() {\n    1\n}",
      "impl A {\n    fn n() {\n        1\n    }\n}\n",
    ],
    [
      "inside_end",
      "fn f() {\n    let a = 1;\n}\n",
      "f",
      "let n = 2;",
      "fn f() {\n    let a = 1;\n    let n = 2;\n}\n",
    ],
    [
      "inside_start",
      "mod a {\n    //! Doc.\n\n    fn f() {}\n}\n",
      "a",
      "use x;",
      "mod a {\n    //! Doc.\n\n    use x;\n    fn f() {}\n}\n",
    ],
  ] as const)("inserts %s in Rust: %j", async (position, content, name, snippet, expected) => {
    expect(await edited(codeInsertBlock, content, { path: "a.rs", name, position, snippet })).toBe(expected);
  });

  it.each([
    [
      "a.py",
      'class A:\n    """Doc."""\n\n    def a(self):\n        pass\n',
      "A",
      "inside_start",
      "x = 1",
      'class A:\n    """Doc."""\n\n    x = 1\n\n    def a(self):\n        pass\n',
    ],
    [
      "a.py",
      "class A:\n    def a(self):\n        pass\n",
      "A",
      "inside_end",
      "def n(self):\n    return 1",
      "class A:\n    def a(self):\n        pass\n\n    def n(self):\n        return 1\n",
    ],
    [
      "a.py",
      "def a():\n    pass\n",
      "a",
      "after",
      "def n():\n    pass",
      "def a():\n    pass\n\n\ndef n():\n    pass\n",
    ],
    [
      "a.ts",
      "export interface I {\n  a: string;\n  b: string;\n}\n",
      "I",
      "inside_end",
      "n: number;",
      "export interface I {\n  a: string;\n  b: string;\n  n: number;\n}\n",
    ],
    [
      "a.ts",
      "const o = {\n  a() {},\n  b: 1\n};\n",
      "o",
      "inside_end",
      "n() {}",
      "const o = {\n  a() {},\n  b: 1,\n  n() {}\n};\n",
    ],
    [
      "a.tsx",
      "class A {\n  a = 1;\n\n  b() {\n    return <p />;\n  }\n}\n",
      "b",
      "before",
      "n() {\n  return <b />;\n}",
      "class A {\n  a = 1;\n\n  n() {\n    return <b />;\n  }\n\n  b() {\n    return <p />;\n  }\n}\n",
    ],
    [
      "a.go",
      "package a\n\ntype S struct {\n\tA int\n}\n",
      "S",
      "inside_end",
      "B int",
      "package a\n\ntype S struct {\n\tA int\n\tB int\n}\n",
    ],
    [
      "A.java",
      "class A {\n    int a() {\n        return 1;\n    }\n}\n",
      "A",
      "inside_end",
      "int n() {\n    return 2;\n}",
      "class A {\n    int a() {\n        return 1;\n    }\n\n    int n() {\n        return 2;\n    }\n}\n",
    ],
    ["a.json", '{\n  "a": 1\n}\n', "a", "after", '"n": 2', '{\n  "a": 1,\n  "n": 2\n}\n'],
    ["a.json", '{\n  "a": 1\n}\n', "a", "before", '"n": 2,', '{\n  "n": 2,\n  "a": 1\n}\n'],
    ["a.json", '{"a": {"b": 1}}', "a", "inside_end", '"n": 2', '{"a": {"b": 1, "n": 2}}'],
    ["a.json", '{"a": {}}', "a", "inside_end", '"n": 2', '{"a": {\n  "n": 2\n}}'],
    ["a.yaml", "a:\n  b: 1\nc: 2\n", "a", "inside_end", "n: 3", "a:\n  b: 1\n  n: 3\nc: 2\n"],
    ["a.toml", "[a]\nx = 1\n\n[b]\ny = 2\n", "a", "inside_end", "n = 3", "[a]\nx = 1\nn = 3\n\n[b]\ny = 2\n"],
    [
      "a.css",
      ".a {\n  top: 0;\n}\n\n.b {\n  top: 1;\n}\n",
      ".a",
      "after",
      ".n {\n  top: 2;\n}",
      ".a {\n  top: 0;\n}\n\n.n {\n  top: 2;\n}\n\n.b {\n  top: 1;\n}\n",
    ],
    [
      "a.md",
      "# A\n\none\n\n## B\n\ntwo\n",
      "B",
      "before",
      "## N\n\nnew\n",
      "# A\n\none\n\n## N\n\nnew\n\n## B\n\ntwo\n",
    ],
    [
      "a.rb",
      "class A\n  def a\n    1\n  end\nend\n",
      "A",
      "inside_end",
      "def n\n  2\nend",
      "class A\n  def a\n    1\n  end\n\n  def n\n    2\n  end\nend\n",
    ],
    ["a.ml", "type t = A | B\n", "A", "after", "N", "type t = A | N | B\n"],
    [
      "a.rs",
      "fn a() {}\r\n\r\nfn b() {}\r\n",
      "a",
      "after",
      "fn n() {\n    1\n}\n",
      "fn a() {}\r\n\r\nfn n() {\r\n    1\r\n}\r\n\r\nfn b() {}\r\n",
    ],
  ] as const)("inserts in %s %j at %s, %s", async (path, content, name, position, snippet, expected) => {
    expect(await edited(codeInsertBlock, content, { path, name, position, snippet })).toBe(expected);
  });

  it.each([
    ["a.py", "def f(): return 1\n"],
    ["a.py", "class f: pass\n"],
    ["a.js", "const f = (a) => a + 1;\n"],
  ])("refuses to split a one-line body without brackets: %s %j", async (path, content) => {
    for (const position of ["inside_start", "inside_end"] as const)
      expect(
        (await refused(codeInsertBlock, content, { path, name: "f", position, snippet: "g()" })).code,
      ).toBe("unsupported");
  });

  it("refuses blocks without a body, and code that does not parse", async () => {
    const content = "fn a() {}\n\nconst X: u8 = 1;\n";
    expect([
      await refused(codeInsertBlock, content, {
        path: "a.rs",
        name: "X",
        position: "inside_end",
        snippet: "y",
      }),
      await refused(codeInsertBlock, content, { path: "a.rs", name: "a", snippet: "fn b( {}" }),
    ]).toEqual([
      {
        code: "unsupported",
        message: "a.rs: Constant X [3-3] has no body to insert code into",
        hint: "Insert before or after it, or replace it with code.replace_block.",
      },
      {
        code: "invalid-input",
        message: "a.rs would no longer parse:\n3:6: missing `)`\n3 | fn b( {}\n  |      ^",
        hint: expect.stringContaining("Nothing was written"),
      },
    ]);
  });
});
