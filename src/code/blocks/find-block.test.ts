import { afterAll, describe, expect, it } from "vitest";
import { codeFixture } from "../../../test/support/code-fixture.ts";
import type { CodeSymbol } from "../../contract/code.ts";
import { ToolError } from "../../contract/error.ts";
import { type BlockWanted, findBlock } from "./find-block.ts";

const opened = codeFixture();
afterAll(() => opened[Symbol.asyncDispose]());

/** The line of the block that is found, or the error for its caller. */
async function found(path: string, text: string, wanted: BlockWanted): Promise<unknown> {
  const outline = await opened.context.code.outline({ path, text }, { signal: opened.context.signal });
  try {
    return (findBlock(path, outline, wanted) as CodeSymbol).line;
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return `${error.code}: ${error.message}. ${error.hint}`;
  }
}

const rust = `pub struct Agent;
impl Agent {
    fn new() {}
    fn run() {}
}
impl fmt::Display for Agent {
    fn fmt() {}
    fn run() {}
}
impl<T> From<T> for Agent {
    fn from() {}
}
impl<T: Clone> Holder<T> {
    fn run() {}
}
mod a {
    pub mod b {
        fn run() {}
        impl Agent {
            fn run() {}
        }
    }
}
trait Runs {
    fn run();
}
fn alone() {}
`;

describe("findBlock in Rust", () => {
  it.each([
    ["Agent", "impl", undefined, undefined],
    ["Agent", "impl", "a::b", 19],
    ["Agent", "impl", "impl Display for Agent", 6],
    ["Agent", "struct", undefined, 1],
    ["fmt::Display for Agent", "impl", undefined, 6],
    ["Display for Agent", "impl", undefined, 6],
    ["impl Display for Agent", "impl", undefined, 6],
    ["From<T> for Agent", "impl", undefined, 10],
    ["From for Agent", "impl", undefined, 10],
    ["Holder", "impl", undefined, 13],
    ["run", "function", "impl Agent", undefined],
    ["run", "function", "impl Display for Agent", 8],
    ["run", "fn", "impl fmt::Display for Agent", 8],
    ["run", "method", "impl Holder", 14],
    ["run", "method", "impl<T: Clone> Holder<T>", 14],
    ["run", "function", "mod a::b", 18],
    ["run", "function", "a::b", 18],
    ["run", "function", "crate::agent::a::b", 18],
    ["run", "function", "a::b::impl Agent", 20],
    ["run", "function", "mod a::mod b::impl Agent", 20],
    ["run", "function", "trait Runs", 25],
    ["Runs::run", undefined, undefined, 25],
    ["a::b::run", undefined, undefined, 18],
    ["new", "function", "impl Agent", 3],
    ["new", "function", "Agent", 3],
    ["new", "function", "crate::impl Agent", 3],
    ["run", "function", "crate::impl Agent", 4],
    ["run", "function", "crate::a::b::impl Agent", 20],
    ["alone", "function", "", 27],
    ["alone", "", "crate::agent", 27],
  ])("finds %s (%s) in %s at line %s", async (name, kind, modulePath, line) => {
    const result = await found("src/agent.rs", rust, { name, kind, modulePath });
    if (line === undefined) expect(result).toMatch(/^ambiguous-match: /);
    else expect(result).toBe(line);
  });

  it.each([
    [1, 4],
    [5, 4],
    [8, 8],
    [12, 14],
    [13, 14],
    [15, 14],
    [17, 18],
    [20, 20],
    [1000, 25],
  ])("prefers the function nearest to line %i", async (lineHint, line) => {
    expect(await found("a.rs", rust, { name: "run", kind: "function", lineHint })).toBe(line);
  });

  it("lists all matches instead of guessing", async () => {
    expect(await found("a.rs", rust, { name: "run", kind: "function", modulePath: "impl Agent" })).toBe(
      [
        "ambiguous-match: a.rs has 2 blocks that match function `run` in impl Agent:",
        "  Method run [4-4] in Impl Agent",
        "  Method run [20-20] in Impl Agent. " +
          "Choose one with `line_hint`, 4 for the first, or with `module_path`, its container.",
      ].join("\n"),
    );
    expect(await found("a.rs", "fn a() {}\n\n\nfn a() {}\n", { name: "a", lineHint: 3 })).toBe(4);
    expect(await found("a.rs", "fn a() {}\n\n\n\nfn a() {}\n", { name: "a", lineHint: 3 })).toMatch(
      /^ambiguous-match: /,
    );
  });

  it.each([
    [
      "runn",
      "function",
      undefined,
      "Did you mean Method run [4-4] in Impl Agent, or Method run [8-8] in Impl fmt::Display for Agent, or Method run [14-14] in Impl Holder<T>? ",
    ],
    [
      "agent",
      "struct",
      undefined,
      "Did you mean Struct Agent [1-1], or Impl Agent [2-5], or Impl Agent [19-21] in Module b? ",
    ],
    [
      "Agent",
      "enum",
      undefined,
      "Did you mean Struct Agent [1-1], or Impl Agent [2-5], or Impl Agent [19-21] in Module b? ",
    ],
    ["new", "function", "mod a", "Did you mean Method new [3-3] in Impl Agent? "],
    ["Display", "impl", undefined, "Did you mean Impl fmt::Display for Agent [6-9]? "],
    ["nothing_like_it", "function", undefined, ""],
  ])("suggests near matches for %s (%s) in %s", async (name, kind, modulePath, near) => {
    const container = modulePath === undefined ? "" : ` in ${modulePath}`;
    expect(await found("a.rs", rust, { name, kind, modulePath })).toBe(
      `no-match: a.rs has no ${kind} \`${name}\`${container}. ${near}List the symbols with code.symbols.`,
    );
  });
});

describe("findBlock among implementations with type parameters", () => {
  const generic = `impl<T> Display for Stack<T> {
    fn run() {}
}
impl<T> Stack<T> {
    fn run() {}
}
impl<T> From<T> for Stack<T> {
    fn run() {}
}
`;

  it.each([
    ["Stack", "impl", undefined, 4],
    ["impl Stack", "impl", undefined, 4],
    ["Stack", "impl", "impl Stack", 4],
    ["Display for Stack", "impl", undefined, 1],
    ["run", "function", "impl Stack", 5],
    ["run", "function", "impl<T> Stack<T>", 5],
    ["run", "function", "impl From for Stack", 8],
    ["Stack::run", "function", undefined, 5],
  ])("prefers the inherent one: %s (%s) in %s", async (name, kind, modulePath, line) => {
    expect(await found("a.rs", generic, { name, kind, modulePath })).toBe(line);
  });
});

describe("findBlock in other languages", () => {
  const python =
    "class Foo:\n    def bar(self): ...\n    class Inner:\n        def bar(self): ...\ndef bar(): ...\n";
  const typescript =
    "export class Foo {\n  bar() {}\n}\nnamespace N {\n  export const bar = () => 1;\n}\nexport const baz = () => 2;\n";

  it.each([
    ["a.py", python, { name: "bar", kind: "def", modulePath: "class Foo" }, 2],
    ["a.py", python, { name: "Foo.bar" }, 2],
    ["a.py", python, { name: "Foo.Inner.bar" }, 4],
    ["a.py", python, { name: "bar", modulePath: "Foo.Inner" }, 4],
    ["a.py", python, { name: "bar", kind: "method", modulePath: "Inner" }, 4],
    ["pkg/a.py", python, { name: "bar", kind: "function", modulePath: "pkg.a" }, 5],
    ["a.ts", typescript, { name: "Foo.bar", kind: "method" }, 2],
    ["a.ts", typescript, { name: "Foo#bar" }, 2],
    ["a.ts", typescript, { name: "bar", modulePath: "namespace N" }, 5],
    ["a.ts", typescript, { name: "baz", kind: "const" }, 7],
    ["a.ts", typescript, { name: "baz", kind: "function" }, 7],
    ["a.go", "package a\n\ntype T struct{}\n\nfunc (t *T) Run() {}\n", { name: "Run", kind: "func" }, 5],
    ["A.java", "record P(int x) {\n  P { }\n}\n", { name: "P", kind: "record" }, 1],
    ["a.kt", "data class P(val x: Int)\n", { name: "P", kind: "data class" }, 1],
    ["a.cpp", "namespace a::b {\nclass C {\n  void f() {}\n};\n}\n", { name: "f", modulePath: "a::b::C" }, 3],
    ["a.ex", "defmodule A.B do\n  def f(x), do: x\nend\n", { name: "A.B", kind: "defmodule" }, 1],
    ["a.json", '{"a.b": 1, "a": {"b": 2,\n"c": 3}}', { name: "a.b", kind: "key" }, 1],
    ["a.json", '{"a": {"b": 2,\n"c": 3}}', { name: "a.c", kind: "key" }, 2],
    [
      "a.md",
      "# One\n\n## Set up\n\n# Two\n\n## Set up\n",
      { name: "Set up", kind: "section", modulePath: "Two" },
      7,
    ],
    ["a.css", "a:hover > b { top: 0 }\n.x.y { top: 1 }\n", { name: ".x.y" }, 2],
  ])("finds in %s %j %j at line %i", async (path, text, wanted, line) => {
    expect(await found(path, text, wanted)).toBe(line);
  });

  it("warns that symbols may be missing in a file that does not parse", async () => {
    expect(await found("a.rs", "fn a( {\n", { name: "b" })).toMatch(
      /Some symbols may be missing: line \d+ does not parse \(.*\)\./,
    );
  });
});
