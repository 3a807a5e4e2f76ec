import { hash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { blockFixture } from "../../../test/support/code-tools/block-fixture.ts";
import { schemaFaults } from "../../../test/support/tool-fixture.ts";
import { codeReadSymbol } from "./read-symbol.ts";
import { codeReplaceBlock } from "./replace-block.ts";

const { opened, answered, edited, editedBytes, refused } = blockFixture();

const agent = `use std::fmt;

/// An agent.
#[derive(Debug)]
pub struct Agent {
    name: String,
    count: u32, // how many
}

impl Agent {
    /// Makes one.
    pub fn new() -> Self {
        Agent { name: String::new(), count: 0 }
    }

    pub async fn run(mut self) -> Result<()> {
        Ok(())
    }
}

impl fmt::Display for Agent {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        Ok(())
    }
}

mod tests {
    fn run() {}
}
`;

describe("code.replace_block", () => {
  it("replaces a method with the arguments of the surgical dialect, and reports the change", {
    tags: "slow",
  }, async () => {
    writeFileSync(opened.at("agent.rs"), agent);
    const output = await opened.run(codeReplaceBlock, {
      path: "agent.rs",
      kind: "function",
      name: "run",
      new_block: "pub async fn run(mut self) -> Result<()> {\n    // new implementation\n    Ok(())\n}",
      module_path: "impl Agent",
      line_hint: 84,
    });
    const expected = agent.replace("        Ok(())\n    }\n}\n\nimpl", "        // new implementation\n$&");
    expect(readFileSync(opened.at("agent.rs"), "utf8")).toBe(expected);
    const block =
      "pub async fn run(mut self) -> Result<()> {\n        // new implementation\n        Ok(())\n    }";
    const [before, now, own] = [agent, expected, block].map((text) => hash("sha256", text));
    const diff = [
      "@@ -14,6 +14,7 @@",
      "     }",
      " ",
      "     pub async fn run(mut self) -> Result<()> {",
      "+        // new implementation",
      "         Ok(())",
      "     }",
      " }",
    ].join("\n");
    expect(output).toEqual({
      data: {
        files: [
          {
            action: "update",
            path: "agent.rs",
            from: undefined,
            target: undefined,
            beforeHash: before,
            afterHash: now,
            changes: [{ firstLine: 17, removedLines: 0, addedLines: 1, tier: "exact" }],
            mode: undefined,
            notes: [],
            diff: `--- a/agent.rs\n+++ b/agent.rs\n${diff}\n`,
          },
        ],
        block: { kind: "method", name: "run", firstLine: 16, lastLine: 19, hash: own },
      },
      text:
        `Edited agent.rs at line 17 (${before!.slice(0, 12)} → ${now!.slice(0, 12)}):\n${diff}\n` +
        `Now Method run [16-19], block hash ${own!.slice(0, 12)}.`,
    });
  });

  describe("with attributes and doc comments above the old block", () => {
    const above = "    /// Adds.\n    #[test]\n    #[cfg(\n        unix\n    )]\n";
    const content = `mod a {\n${above}    fn add() {\n        one();\n    }\n}\n`;
    const head = "kept the lines above it: ";
    const replaced = async (newBlock: string, expected = {}) => {
      const input = { path: "a.rs", name: "add", new_block: newBlock, ...expected };
      const { data } = await answered(codeReplaceBlock, content, input);
      return [readFileSync(opened.at("a.rs"), "utf8"), data.files[0]?.notes];
    };
    const withAbove = (lines: string, body = "    fn add() {}\n") => `mod a {\n${lines}${body}}\n`;

    it("keeps them when the new block has none", { tags: "slow" }, async () => {
      expect(await replaced("fn add() {\n    two();\n}")).toEqual([
        content.replace("one", "two"),
        [`${head}/// Adds. ⏎ #[test] ⏎ #[cfg( and 2 more lines`],
      ]);
    });

    it("keeps the comments when the new block has only attributes, and the reverse", async () => {
      expect([await replaced("#[ignore]\nfn add() {}"), await replaced("/// New.\nfn add() {}")]).toEqual([
        [withAbove("    /// Adds.\n    #[ignore]\n"), [`${head}/// Adds.`]],
        [withAbove(above.replace("Adds", "New")), [`${head}#[test] ⏎ #[cfg( ⏎ unix and 1 more line`]],
      ]);
    });

    it("replaces them when the new block has both", async () => {
      expect(await replaced("/// New.\n#[ignore]\nfn add() {}")).toEqual([
        withAbove("    /// New.\n    #[ignore]\n"),
        [],
      ]);
    });

    it("keeps them with the declaration when the new block begins with another", async () => {
      expect(await replaced("const A: u8 = 1;\n\nfn add() {}")).toEqual([
        `mod a {\n    const A: u8 = 1;\n\n${above}    fn add() {}\n}\n`,
        [`${head}/// Adds. ⏎ #[test] ⏎ #[cfg( and 2 more lines`],
      ]);
    });

    it("keeps exactly what the verified text excludes", async () => {
      const own = "fn add() {\n        one();\n    }";
      const whole = content.slice(content.indexOf("///"), content.indexOf("\n}"));
      const results = [];
      for (const verified of [own, whole, whole.slice(whole.indexOf("#[test]"))]) {
        results.push(await replaced("fn add() {}", { expected_old_block: verified }));
        results.push(await replaced("fn add() {}", { expected_old_hash: hash("sha256", verified) }));
      }
      const [kept, removed, part] = [
        [withAbove(above), [`${head}/// Adds. ⏎ #[test] ⏎ #[cfg( and 2 more lines`]],
        [withAbove(""), ["removed the lines above it: /// Adds. ⏎ #[test] ⏎ #[cfg( and 2 more lines"]],
        [withAbove("    /// Adds.\n"), [`${head}/// Adds.`]],
      ];
      expect(results).toEqual([kept, kept, removed, removed, part, part]);
    });

    it.each([
      [
        "a.py",
        "class A:\n    # Why.\n    @property\n    def add(self):\n        pass\n",
        "def add(self):\n    return 1",
        "pass",
        "return 1",
      ],
      [
        "A.java",
        "class A {\n  /** Adds. */\n  @Override\n  public int add() { return 1; }\n}\n",
        "public int add() { return 2; }",
        "1;",
        "2;",
      ],
      [
        "a.ts",
        "class A {\n  /** Adds. */\n  @log() add() {\n    return 1;\n  }\n}\n",
        "add() {\n  return 2;\n}",
        "1;",
        "2;",
      ],
      [
        "a.cs",
        "class A {\n  /// Adds.\n  [Fact]\n  public int Add() { return 1; }\n}\n",
        "public int Add() { return 2; }",
        "1;",
        "2;",
      ],
      [
        "a.go",
        "package a\n\n// Add adds.\n//go:noinline\nfunc Add() int { return 1 }\n",
        "func Add() int { return 2 }",
        "1 }",
        "2 }",
      ],
      [
        "a.php",
        "<?php\nclass A {\n  /** Adds. */\n  #[Test]\n  function add() { return 1; }\n}\n",
        "function add() { return 2; }",
        "1;",
        "2;",
      ],
      ["a.kt", "class A {\n    @Test\n    fun add(): Int = 1\n}\n", "fun add(): Int = 2", "1\n", "2\n"],
      [
        "a.ex",
        'defmodule A do\n  @doc "Adds."\n  def add(x), do: x\nend\n',
        "def add(x), do: x + 1",
        "do: x\n",
        "do: x + 1\n",
      ],
    ])("keeps them in %s", async (path, text, newBlock, was, now) => {
      const input = {
        path,
        name: /^[a-z]/.test(newBlock) && text.includes("Add(") ? "Add" : "add",
        new_block: newBlock,
      };
      expect(await edited(codeReplaceBlock, text, input)).toBe(text.replace(was, now));
    });

    it("removes them when the new code declares nothing, or does not parse with them", async () => {
      const python = "@dec\ndef add():\n    pass\n";
      const { data } = await answered(codeReplaceBlock, python, {
        path: "a.py",
        name: "add",
        new_block: "add = 1",
      });
      expect([readFileSync(opened.at("a.py"), "utf8"), data.files[0]?.notes]).toEqual([
        "add = 1\n",
        ["function add is gone: the new block declares variable add", "removed the lines above it: @dec"],
      ]);
      expect((await replaced("// none"))[1]).toEqual([
        "the new block declares nothing: Function add [2-9] in Module a is gone",
        "removed the lines above it: /// Adds. ⏎ #[test] ⏎ #[cfg( and 2 more lines",
      ]);
    });
  });

  it("reports that the new block has another name, or declares nothing", async () => {
    const notes = async (newBlock: string) => {
      const input = { path: "a.ts", name: "a", new_block: newBlock };
      return (await answered(codeReplaceBlock, "function a() {}\n", input)).data.files[0]?.notes;
    };
    expect(await notes("function b() {}")).toEqual(["function a is gone: the new block declares function b"]);
    expect(await notes("a();")).toEqual(["the new block declares nothing: Function a [1-1] is gone"]);
  });

  const method = `class A {
    void a() {
        one();
    }

    void b() {
        two();
    }
}
`;
  const expected = method.replace("two();", "two();\n        three();");

  it.each([
    ["without indentation", "void b() {\n    two();\n    three();\n}"],
    ["as in the file", "    void b() {\n        two();\n        three();\n    }"],
    ["without the indentation of its first line", "void b() {\n        two();\n        three();\n    }"],
    ["with blank lines around it", "\n\nvoid b() {\n    two();\n    three();\n}\n\n"],
    ["with tabs", "void b() {\n\ttwo();\n\tthree();\n}"],
    ["with another indent width", "void b() {\n  two();\n  three();\n}"],
    ["with carriage returns", "void b() {\r\n    two();\r\n    three();\r\n}\r\n"],
    [
      "with too much indentation",
      "            void b() {\n                two();\n                three();\n            }",
    ],
  ])("adjusts the indentation of a block given %s", async (_, newBlock) => {
    expect(await edited(codeReplaceBlock, method, { path: "A.java", name: "b", new_block: newBlock })).toBe(
      expected,
    );
  });

  it("converts the indent width only if the body shows it, and keeps unchanged lines", async () => {
    const python = "def a(x):\n  if x:\n    return call(\n        x)\n\n\ndef b():\n  return 1\n";
    const replaced = (name: string, new_block: string) =>
      edited(codeReplaceBlock, python, { path: "a.py", name, new_block });
    expect([
      await replaced("b", "def b():\n    while c():\n        pass\n    return 2"),
      await replaced("b", "def b():\n  return call(\n      1)"),
      await replaced("a", "def a(x):\n  return call(\n        x)"),
    ]).toEqual([
      python.replace("  return 1", "  while c():\n    pass\n  return 2"),
      python.replace("return 1", "return call(\n      1)"),
      python.replace("  if x:\n    return call(", "  return call("),
    ]);
  });

  it("writes tabs in a file that uses them", async () => {
    const go = "package a\n\nfunc A() int {\n\treturn 1\n}\n";
    const newBlock = "func A() int {\n    if b {\n        return 2\n    }\n    return 1\n}";
    expect(await edited(codeReplaceBlock, go, { path: "a.go", name: "A", new_block: newBlock })).toBe(
      "package a\n\nfunc A() int {\n\tif b {\n\t\treturn 2\n\t}\n\treturn 1\n}\n",
    );
  });

  it("keeps the content of strings and the ends of heredocs as given", { tags: "slow" }, async () => {
    const cases = [
      [
        "a.py",
        "class A:\n    def f(self):\n        pass\n",
        'def f(self):\n    x = """one\n  two\n"""\n    return x',
      ],
      ["a.ts", "class A {\n  f() {}\n}\n", "f() {\n  return `one\n two $" + "{g(\n    1,\n  )}\nthree`;\n}"],
      ["a.rs", "impl A {\n    fn f() {}\n}\n", 'fn f() {\n    g("one\n  two");\n}'],
      ["a.rb", "class A\n  def f\n  end\nend\n", "def f\n  x = <<END\none\n  two\nEND\n  x\nend"],
      ["a.sh", "if true; then\n    f() { :; }\nfi\n", "f() {\n    cat <<END\none\n\ttwo\nEND\n}"],
      ["a.php", "<?php\nclass A {\n    function f() {}\n}\n", "function f() {\n    return 'one\n two';\n}"],
    ] as const;
    const results = [];
    for (const [path, content, newBlock] of cases)
      results.push(await edited(codeReplaceBlock, content, { path, name: "f", new_block: newBlock }));
    expect(results).toEqual([
      'class A:\n    def f(self):\n        x = """one\n  two\n"""\n        return x\n',
      "class A {\n  f() {\n    return `one\n two $" + "{g(\n      1,\n    )}\nthree`;\n  }\n}\n",
      'impl A {\n    fn f() {\n        g("one\n  two");\n    }\n}\n',
      "class A\n  def f\n    x = <<END\none\n  two\nEND\n    x\n  end\nend\n",
      "if true; then\n    f() {\n        cat <<END\none\n\ttwo\nEND\n    }\nfi\n",
      "<?php\nclass A {\n    function f() {\n        return 'one\n two';\n    }\n}\n",
    ]);
  });

  it("moves docstrings and comments with their code", async () => {
    const newBlock = 'def f(self):\n    """Does.\n\n    More.\n    """\n    # why\n    return 1';
    expect(
      await edited(codeReplaceBlock, "class A:\n    def f(self):\n        pass\n", {
        path: "a.py",
        name: "f",
        new_block: newBlock,
      }),
    ).toBe(
      'class A:\n    def f(self):\n        """Does.\n\n        More.\n        """\n        # why\n        return 1\n',
    );
  });

  it("keeps encoding, byte-order mark, line endings and a missing final newline", async () => {
    const text = "// ü 🙂\r\n\r\nfunction a() {\r\n  return 1;\r\n}\r\n\r\nfunction b() {}";
    const changed = text.replace("return 1;", "return 2;\r\n  // ö");
    const newBlock = "function a() {\n  return 2;\n  // ö\n}";
    const encodings = {
      "utf-8": (string: string) => Buffer.from(string),
      "utf-8 with a mark": (string: string) => Buffer.from(`\ufeff${string}`),
      "utf-16le": (string: string) => Buffer.from(`\ufeff${string}`, "utf16le"),
      "utf-16be": (string: string) => Buffer.from(`\ufeff${string}`, "utf16le").swap16(),
      latin1: (string: string) => Buffer.from(string.replace("🙂", "é"), "latin1"),
    };
    for (const [name, encode] of Object.entries(encodings)) {
      const input = { path: "a.js", name: "a", new_block: newBlock };
      expect([name, await editedBytes(codeReplaceBlock, encode(text), input)]).toEqual([
        name,
        encode(changed),
      ]);
    }
  });

  it("keeps the line endings of unchanged lines when they are mixed", async () => {
    const content = "fn a() {\r\n    one();\n    two();\r\n    three();\n}\r\n";
    const newBlock = "fn a() {\n    one();\n    new();\n    two();\n    three();\n}";
    expect(await edited(codeReplaceBlock, content, { path: "a.rs", name: "a", new_block: newBlock })).toBe(
      "fn a() {\r\n    one();\n    new();\r\n    two();\r\n    three();\n}\r\n",
    );
  });

  it("keeps bytes that are not UTF-8", async () => {
    const before = Buffer.concat([
      Buffer.from("// ü ö "),
      Buffer.of(0xff),
      Buffer.from("\n\nint a() { return 1; }\n// "),
      Buffer.of(0xfe),
    ]);
    const now = await editedBytes(codeReplaceBlock, before, {
      path: "a.c",
      name: "a",
      new_block: "int a() { return 2; }",
    });
    expect(now).toEqual(Buffer.from(before.toString("latin1").replace("return 1", "return 2"), "latin1"));
  });

  it.each([
    [
      "a.tsx",
      "export const A = () => {\n  return <p>1</p>;\n};\n",
      "A",
      "export const A = () => {\n  return <p>2</p>;\n};",
      "export const A = () => {\n  return <p>2</p>;\n};\n",
    ],
    ["a.ts", "const a = () => 1,\n  b = 2;\n", "a", "a = () => 3", "const a = () => 3,\n  b = 2;\n"],
    [
      "a.rs",
      "struct A {\n    x: i32,\n    y: i32,\n}\n",
      "x",
      "x: u8,",
      "struct A {\n    x: u8,\n    y: i32,\n}\n",
    ],
    [
      "a.cpp",
      "namespace n {\ntemplate <typename T>\nclass A {\n  int f() { return 1; }\n};\n}\n",
      "f",
      "int f() {\n  return 2;\n}",
      "namespace n {\ntemplate <typename T>\nclass A {\n  int f() {\n    return 2;\n  }\n};\n}\n",
    ],
    [
      "a.rb",
      "module M\n  # Says.\n  def a\n    1\n  end\nend\n",
      "a",
      "# Says it.\ndef a\n  2\nend",
      "module M\n  # Says it.\n  def a\n    2\n  end\nend\n",
    ],
    ["a.json", '{"a": 1, "b": {"c": [1]}}', "c", '"c": [1, 2]', '{"a": 1, "b": {"c": [1, 2]}}'],
    [
      "a.yaml",
      "a:\n  b:\n    - x\n  c: 1\n",
      "b",
      "b:\n  - x\n  - y",
      "a:\n  b:\n    - x\n    - y\n  c: 1\n",
    ],
    ["a.toml", "[a]\nx = 1\n\n[b]\ny = 2\n", "a", "[a]\nx = 2\nz = 3", "[a]\nx = 2\nz = 3\n\n[b]\ny = 2\n"],
    [
      "a.css",
      "@media print {\n  .a { top: 0 }\n  .b { top: 1 }\n}\n",
      ".a",
      ".a {\n  top: 2;\n}",
      "@media print {\n  .a {\n    top: 2;\n  }\n  .b { top: 1 }\n}\n",
    ],
    [
      "a.md",
      "# A\n\none\n\n## B\n\ntwo\n\n## C\n\nthree\n",
      "B",
      "## B\n\nnew\n",
      "# A\n\none\n\n## B\n\nnew\n\n## C\n\nthree\n",
    ],
    [
      "a.kt",
      "object O {\n    fun a(): Int = 1\n}",
      "a",
      "fun a(): Int = 2",
      "object O {\n    fun a(): Int = 2\n}",
    ],
    [
      "a.swift",
      "struct S {\n  func a() -> Int { 1 }\n}\n",
      "a",
      "func a() -> Int { 2 }",
      "struct S {\n  func a() -> Int { 2 }\n}\n",
    ],
    [
      "a.lua",
      "function a()\n  return 1\nend\n",
      "a",
      "function a()\n  return 2\nend",
      "function a()\n  return 2\nend\n",
    ],
    [
      "a.cs",
      "class A {\n    int B { get; set; }\n}\n",
      "B",
      "long B { get; set; }",
      "class A {\n    long B { get; set; }\n}\n",
    ],
    [
      "a.sql",
      "CREATE TABLE a (x int);\nCREATE TABLE b (y int);\n",
      "a",
      "CREATE TABLE a (x bigint);",
      "CREATE TABLE a (x bigint);\nCREATE TABLE b (y int);\n",
    ],
  ])("replaces in %s %j", async (path, content, name, newBlock, expectedContent) => {
    expect(await edited(codeReplaceBlock, content, { path, name, new_block: newBlock })).toBe(
      expectedContent,
    );
  });

  it("refuses code that would no longer parse, and shows where", async () => {
    expect(
      await refused(codeReplaceBlock, "fn a() {}\n\nfn b() {\n    1\n}\n", {
        path: "a.rs",
        name: "b",
        new_block: "fn b() {\n    f(1;\n}",
      }),
    ).toEqual({
      code: "invalid-input",
      message: "a.rs would no longer parse:\n4:8: missing `)`\n4 |     f(1;\n  |        ^",
      hint:
        "Nothing was written; line numbers are those of the changed file. Correct the new code, or use edit.replace, " +
        "which does not check syntax.",
    });
  });

  it("refuses an empty body if the language forbids it, and a NUL character", async () => {
    const refusal = (newBlock: string) =>
      refused(codeReplaceBlock, "def a():\n    pass\n", { path: "a.py", name: "a", new_block: newBlock });
    expect([
      (await refusal("def a():\n    # later")).message,
      (await refusal("def a():\n    '\0'")).message,
    ]).toEqual([
      "a.py would no longer parse:\n1:1: the body of `a` is empty\n1 | def a():\n  | ^",
      "a.py: the new code contains a NUL character",
    ]);
  });

  it("applies edits of one file one after the other", { tags: "slow" }, async () => {
    const content = Array.from({ length: 8 }, (_, number) => `fn f${number}() {\n    ${number}\n}\n`).join(
      "\n",
    );
    writeFileSync(opened.at("many.rs"), content);
    await Promise.all(
      Array.from({ length: 8 }, (_, number) =>
        opened.run(codeReplaceBlock, {
          path: "many.rs",
          name: `f${number}`,
          new_block: `fn f${number}() {\n    ${number} + 9\n}`,
        }),
      ),
    );
    expect(readFileSync(opened.at("many.rs"), "utf8")).toBe(content.replace(/^ {4}\d$/gm, "$& + 9"));
  });

  it("refuses new code that swallows the code after it, even if it parses", async () => {
    const content = "function a() {}\nfunction b() {}\n/* end */\nfunction c() {}\n";
    expect(
      await refused(codeReplaceBlock, content, { path: "a.js", name: "a", new_block: "function a() {} /*" }),
    ).toEqual({
      code: "invalid-input",
      message: "a.js: the new code would make these symbols disappear: Function b [2-2]",
      hint: expect.stringContaining("Nothing was written"),
    });
  });

  it("edits a file that does not parse if it gets no worse", async () => {
    const broken = "fn a( {}\n\nfn b() {\n    1\n}\n";
    const input = { path: "a.rs", name: "b" };
    expect(await edited(codeReplaceBlock, broken, { ...input, new_block: "fn b() {\n    2\n}" })).toBe(
      broken.replace("1", "2"),
    );
    expect(await refused(codeReplaceBlock, broken, { ...input, new_block: "fn b() {\n    f(2;\n}" })).toEqual(
      {
        code: "invalid-input",
        message: "a.rs would no longer parse:\n4:8: missing `)`\n4 |     f(2;\n  |        ^",
        hint: expect.stringContaining("Nothing was written"),
      },
    );
  });

  it("refuses a block that differs from the expected one", async () => {
    const input = { path: "a.rs", name: "tests.run", new_block: "fn run() { x() }" };
    const own = "fn run() {}";
    const wayOut =
      "Nothing was written. Read the block again (code.read_symbol), then edit its current content.";
    expect(await refused(codeReplaceBlock, agent, { ...input, expected_old_hash: "0123456789" })).toEqual({
      code: "stale",
      message: `a.rs: Function run [28-28] has the hash ${hash("sha256", own)}, not the expected 0123456789`,
      hint: wayOut,
    });
    expect(
      await refused(codeReplaceBlock, agent, { ...input, expected_old_block: "fn run() { y() }" }),
    ).toEqual({
      code: "stale",
      message:
        "a.rs: Function run [28-28] is not the expected block:\n@@ -1,1 +1,1 @@\n-fn run() { y() }\n+fn run() {}",
      hint: wayOut,
    });
  });

  it("accepts the hash and the text of the block in any equivalent form", async () => {
    const content = "class A:\r\n    @dec\r\n    def f(self):\r\n        pass\r\n";
    const block = "@dec\r\n    def f(self):\r\n        pass";
    const forms = [
      block,
      `    ${block}`,
      `    ${block}\n`,
      block.replaceAll("\r", ""),
      block.slice(10),
      "    def f(self):\n        pass\n",
    ];
    for (const form of forms) {
      const expectations = [
        { expected_old_hash: hash("sha256", form).toUpperCase() },
        { expected_old_hash: hash("sha256", form).slice(0, 8) },
        { expected_old_block: form },
        { expected_old_block: form.replaceAll(/^ {4}/gm, "") },
      ];
      for (const expectation of expectations)
        expect(
          await edited(codeReplaceBlock, content, {
            path: "a.py",
            name: "f",
            new_block: "def f(self): ...",
            ...expectation,
          }),
        ).toBe(`class A:\r\n${form.includes("@dec") ? "" : "    @dec\r\n"}    def f(self): ...\r\n`);
    }
  });

  it("accepts the hash that code.read_symbol returns", async () => {
    writeFileSync(opened.at("a.rs"), agent);
    const { data } = await opened.run(codeReadSymbol, { path: "a.rs", name: "Agent::new" });
    const input = { path: "a.rs", name: "Agent::new", new_block: "fn new() {}" };
    expect(
      await edited(codeReplaceBlock, agent, { ...input, expected_old_hash: data.blocks[0]!.hash }),
    ).toContain("    fn new() {}\n");
  });

  it("refuses code that changes nothing, is not code, or is a placeholder", async () => {
    const content = "fn a() {\n    1\n}\n";
    const refusal = (newBlock: string) =>
      refused(codeReplaceBlock, content, { path: "a.rs", name: "a", new_block: newBlock });
    expect([await refusal(content), await refusal("fn a() {\n    // ... existing code ...\n}")]).toEqual([
      {
        code: "invalid-input",
        message: "a.rs: the new code equals the current code; nothing would change",
        hint: "Give new code that differs from the old.",
      },
      {
        code: "invalid-input",
        message: "a.rs: the new code contains a placeholder instead of code: // ... existing code ...",
        hint: "Write the block out in full, or change only some of its lines with edit.replace.",
      },
    ]);
    expect(schemaFaults(codeReplaceBlock, { path: "a", name: "a", new_block: " \n" })).toEqual([
      "new_block: is empty; to remove a block use code.delete_block or edit.replace",
    ]);
  });

  it("shows the diff to the user who approves it", async () => {
    writeFileSync(opened.at("a.rs"), "fn a() {}\n");
    const input = { path: "a.rs", name: "a", new_block: "fn a() { 1 }", run_formatter: true };
    expect(await codeReplaceBlock.preview!(input, opened.context)).toBe(
      "--- a/a.rs\n+++ b/a.rs\n@@ -1,1 +1,1 @@\n-fn a() {}\n+fn a() { 1 }\nThe file is formatted before it is written.\n",
    );
    expect(readFileSync(opened.at("a.rs"), "utf8")).toBe("fn a() {}\n");
  });

  it("declares the file, and commands only when they are requested", () => {
    const input = { path: "a.rs", name: "a", new_block: "b" };
    expect(codeReplaceBlock.accesses(input)).toEqual([{ kind: "write", path: "a.rs" }]);
    const kinds = codeReplaceBlock
      .accesses({ ...input, run_formatter: true, run_check: true })
      .map(({ kind }) => kind);
    expect(new Set(kinds)).toEqual(new Set(["write", "execute"]));
  });

  it("reports what others changed in between", async () => {
    writeFileSync(opened.at("seen.rs"), "fn a() {}\n\nfn b() {}\n");
    await opened.run(codeReadSymbol, { path: "seen.rs", name: "a" });
    writeFileSync(opened.at("seen.rs"), "fn a() { x() }\n\nfn b() {}\n");
    const { data } = await opened.run(codeReplaceBlock, {
      path: "seen.rs",
      name: "b",
      new_block: "fn b() { 1 }",
    });
    expect(data.files[0]?.notes).toEqual(["changed since you last saw it, at line 1; your edit still fits"]);
  });

  it("reports files it cannot edit", async () => {
    const input = { name: "a", new_block: "b" };
    writeFileSync(opened.at("a.bin"), Buffer.of(0, 1, 2, 0));
    expect([
      await opened.refusal(codeReplaceBlock, { ...input, path: "a.bin" }),
      await opened.refusal(codeReplaceBlock, { ...input, path: "." }),
    ]).toEqual([
      {
        code: "unsupported",
        message: "a.bin is a binary file, not source code",
        hint: "Give a source code file.",
      },
      {
        code: "unsupported",
        message: ". is a directory, not a file",
        hint: "List its symbols with code.symbols, then give one of its files.",
      },
    ]);
  });
});
