import { mkdirSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { codeFixture } from "../../../test/support/code-fixture.ts";
import { blockFixture } from "../../../test/support/code-tools/block-fixture.ts";
import { exampleGuard } from "../../environment/conformance/guarding.ts";
import { openLocalEnvironment } from "../../environment/local/local-environment.ts";
import { codeSymbols } from "./symbols.ts";

const { opened, answered, refused } = blockFixture();

const rust = `/// An agent. Works.
pub struct Agent {
    name: String,
}

impl Agent {
    /// Runs.
    pub async fn run(mut self) -> Result<()> {
        Ok(())
    }
}

mod tests {
    fn helper() {}
}
`;

describe("code.symbols of a file", () => {
  it("lists kind, name and lines in file order, nested, with details", { tags: "slow" }, async () => {
    expect((await answered(codeSymbols, rust, { path: "a.rs" })).text).toBe(
      [
        "Struct Agent [1-4]: pub struct Agent — An agent.",
        "  Field name [3-3]: name: String",
        "Impl Agent [6-11]",
        "  Method run [7-10]: pub async fn run(mut self) -> Result<()> — Runs.",
        "Module tests [13-15]",
        "  Function helper [14-14]",
      ].join("\n"),
    );
  });

  it("returns all details as data", { tags: "slow" }, async () => {
    expect(
      (await answered(codeSymbols, "/** Doc. */\nexport function a(): void {}\n", { path: "a.ts" })).data,
    ).toEqual({
      files: [
        {
          path: "a.ts",
          language: "typescript",
          faults: 0,
          symbols: [
            {
              kind: "function",
              name: "a",
              firstLine: 1,
              lastLine: 2,
              line: 2,
              signature: "export function a(): void",
              doc: "Doc.",
              depth: 1,
            },
          ],
        },
      ],
      nextOffset: undefined,
      skipped: { guarded: [], unreadable: [], tooLarge: [] },
    });
  });

  it("lists symbols by kind, name or depth", async () => {
    const text = async (input: object) =>
      (await answered(codeSymbols, rust, { path: "a.rs", ...input })).text;
    expect([
      await text({ kind: "fn" }),
      await text({ name: "AGE", kind: "impl" }),
      await text({ depth: 1 }),
      await text({ kind: "enum" }),
    ]).toEqual([
      "  Method run [7-10]: pub async fn run(mut self) -> Result<()> — Runs.\n  Function helper [14-14]",
      "Impl Agent [6-11]",
      "Struct Agent [1-4]: pub struct Agent — An agent.\nImpl Agent [6-11]\nModule tests [13-15]",
      "a.rs has no such symbols.",
    ]);
  });

  it("shows how to continue when there are many", async () => {
    const many = Array.from({ length: 1200 }, (_, number) => `fn f${number}() {}\n`).join("");
    const { text, data, continuation } = await answered(codeSymbols, many, { path: "a.rs" });
    expect([text.split("\n").length, text.slice(0, 18), data.nextOffset, continuation]).toEqual([
      500,
      "Function f0 [1-1]\n",
      500,
      "700 more symbols: continue with offset 500.",
    ]);
    const rest = await answered(codeSymbols, many, { path: "a.rs", offset: 1198 });
    expect(rest).toEqual({ ...rest, text: "Function f1198 [1199-1199]\nFunction f1199 [1200-1200]" });
  });

  it("reports a file that does not parse, or declares nothing", async () => {
    expect((await answered(codeSymbols, "fn a() {}\nfn b( {}\n", { path: "a.rs" })).text).toBe(
      "Function a [1-1]\nFunction b [2-2]\n(Does not parse, first at line 2: missing `)`. Symbols near that line may be missing.)",
    );
    expect((await answered(codeSymbols, "// nothing\n", { path: "a.rs" })).text).toBe(
      "a.rs declares no symbols known for rust.",
    );
  });

  it("refuses a file without a grammar", async () => {
    expect(await refused(codeSymbols, "hello", { path: "a.unknown" })).toEqual({
      code: "unsupported",
      message: expect.stringContaining("a.unknown"),
      hint: expect.any(String),
    });
  });
});

describe("code.symbols of a folder", () => {
  const files = {
    "src/a.rs": rust,
    "src/deep/b.py": "class B:\n    def f(self): ...\n",
    "src/picture.png": Buffer.of(0x89, 0x50, 0, 0),
    "src/words.txt": "hello",
    "src/ignored.rs": "fn ignored() {}\n",
    "src/.hidden.rs": "fn hidden() {}\n",
    ".gitignore": "ignored.rs\n",
  };

  it("escapes line breaks and control characters in names of files and symbols", async () => {
    await using here = codeFixture({ "new\nline.md": "# a\u001b[31m \u202eb\n" });
    expect((await here.run(codeSymbols, {})).text).toBe(
      '"new\\nline.md"\n  Heading a<U+001B>[31m <U+202E>b [1-1]',
    );
  });

  it("lists the top level of each file that is not ignored", async () => {
    await using here = codeFixture(files);
    mkdirSync(here.at(".git"));
    const { text, data } = await here.run(codeSymbols, { path: "src" });
    expect(text).toBe(
      [
        "src/a.rs",
        "  Struct Agent [1-4]: pub struct Agent — An agent.",
        "  Impl Agent [6-11]",
        "  Module tests [13-15]",
        "src/deep/b.py",
        "  Class B [1-2]",
      ].join("\n"),
    );
    expect(data.files.map(({ path, symbols }) => [path, symbols.length])).toEqual([
      ["src/a.rs", 3],
      ["src/deep/b.py", 1],
    ]);
    expect((await here.run(codeSymbols, { kind: "method", depth: 2 })).text).toBe(
      "src/a.rs\n    Method run [7-10]: pub async fn run(mut self) -> Result<()> — Runs.\nsrc/deep/b.py\n    Method f [2-2]: def f(self)",
    );
  });

  it("stops when there are many, and continues where it stopped", async () => {
    await using here = codeFixture(
      Object.fromEntries(["a", "b", "c"].map((name) => [`${name}.rs`, `fn ${name}() {}\nfn z() {}\n`])),
    );
    const first = await here.run(codeSymbols, { limit: 3 });
    expect([first.text, first.continuation, first.data.nextOffset]).toEqual([
      "a.rs\n  Function a [1-1]\n  Function z [2-2]\nb.rs\n  Function b [1-1]\n  … 1 more symbol: list this file alone to see them",
      "2 of 3 files were read: continue with offset 2.",
      2,
    ]);
    expect((await here.run(codeSymbols, { offset: 2 })).text).toBe(
      "c.rs\n  Function c [1-1]\n  Function z [2-2]",
    );
  });

  it("skips files that are too large, and reports them", async () => {
    await using here = codeFixture({ "a.rs": "fn a() {}\n", "large.rs": "// x\n".repeat(300_000) });
    expect((await here.run(codeSymbols, {})).text).toBe(
      "a.rs\n  Function a [1-1]\n(Skipped because too large; give one as path to list it: large.rs)",
    );
  });

  it("skips files that rules hide, and reports them", async () => {
    await using here = codeFixture({ "a.rs": "fn a() {}\n", "vault/b.rs": "fn secret() {}\n" });
    const environment = openLocalEnvironment({ workspace: here.workspace, guard: exampleGuard });
    const { text, data } = await codeSymbols.run({}, { ...here.context, environment });
    await environment.close();
    expect([text, data.skipped.guarded]).toEqual([
      "a.rs\n  Function a [1-1]\n(Not read, because rules hide them: vault/b.rs)",
      ["vault/b.rs"],
    ]);
  });

  it("reports that there is nothing", async () => {
    writeFileSync(opened.at("note.txt"), "x");
    mkdirSync(opened.at("empty"), { recursive: true });
    expect((await opened.run(codeSymbols, { path: "empty" })).text).toBe(
      "No symbols were found in empty, which has 0 files.",
    );
  });
});
