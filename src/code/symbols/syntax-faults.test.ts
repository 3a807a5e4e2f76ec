import { describe, expect, it } from "vitest";
import { outlineOfText } from "../../../test/support/parsed-text.ts";

async function faults(language: string, text: string): Promise<string[]> {
  const outline = await outlineOfText(language, text);
  return outline.faults.map(({ line, column, message }) => `${line}:${column} ${message}`);
}

describe("syntax faults", () => {
  it.each([
    ["rust", "fn a() {\n    b(1, 2\n}\n", ["2:11 missing `)`"]],
    ["rust", "fn a() {\n  if x {\n}\n\nfn b() {}\n", ["1:8 `{` is never closed"]],
    ["rust", "fn a() {}\n}\n", ["2:1 unexpected `}`"]],
    ["typescript", "const a = {\n  b: 1\n  c: 2,\n};\n", ["3:3 unexpected `c`"]],
    ["python", "def f(:\n    pass\n", ["1:7 missing `)`"]],
    ["python", "x = (1,\ny = 2\n", ["1:5 `(` is never closed"]],
    ["go", "package p\nfunc f() {\n\tx := \n}\n", ["3:6 missing identifier"]],
    ["java", "class A {\n  void f() { int x = 1 }\n}\n", ["2:23 missing `;`"]],
    ["c", "int a = 3\nint b;\n", ["1:10 missing `;`"]],
    ["json", '{"a": 1,}\n', ["1:8 unexpected `,`"]],
  ])("of %s in %j are reported where they can be fixed", async (language, text, expected) => {
    expect(await faults(language, text)).toEqual(expected);
  });

  it("do not occur in an empty text", async () => {
    expect(await faults("rust", "")).toEqual([]);
  });

  it("count characters, not code units, and show unprintable ones by their number", async () => {
    expect(await faults("json", '["😀" 1]')).toEqual(["1:6 unexpected `1`"]);
    expect(await faults("typescript", "\u0001")).toEqual(["1:1 unexpected `U+0001`"]);
  });

  it("are bounded and stable in a text that is not code", async () => {
    const text = "] ) } ".repeat(5_000);
    const first = await faults("json", text);
    expect(first.length).toBeLessThanOrEqual(1_000);
    expect(first.length).toBeGreaterThan(0);
    expect(await faults("json", text)).toEqual(first);
  });

  it("are found among very many brackets", { tags: "slow" }, async () => {
    expect((await faults("json", "[".repeat(100_000))).length).toBe(1);
    const deep = `${"[".repeat(20_000)}1 2${"]".repeat(20_000)}`;
    expect(await faults("json", deep)).toEqual(["1:20001 unexpected `1`"]);
  });

  it("are not caused by macros in C or by newer TypeScript", async () => {
    expect(await faults("c", "EXPORT_API int CALL_IT f(void) { return 1; }\n")).toEqual([]);
    expect(await faults("typescript", "interface A<in out T> { a: T }\n")).toEqual([]);
  });

  it("keep their positions in a faulty text with macros", async () => {
    expect(await faults("c", "EXPORT_API int CALL_IT f(void) { return 1; \n")).toEqual(["1:43 missing `}`"]);
  });
});
