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

  it.each([
    'unsafe extern "C" {\n    pub safe fn sqrt(x: f64) -> f64;\n    unsafe static mut N: u8;\n    safe static M: u8;\n}\n',
    "unsafe extern {\n    safe fn abs(x: i32) -> i32;\n    type Opaque;\n}\n",
    '#[unsafe(no_mangle)]\npub unsafe extern "C" fn f() {}\n#![unsafe(link_section = "x")]\n',
    "fn f() {\n    if let Some(a) = b && a > 1 && let Some(c) = d {}\n}\n",
    "fn f() {\n    let a = async || 1;\n    let b = async move |x: u8| x;\n    call(async |x| x.await);\n}\n",
    "fn f<'a, T>(x: &'a T) -> impl Sized + use<'a, T> {\n    x\n}\nfn g() -> impl Sized + use<> {}\n",
    'const A: &CStr = c"hello";\nconst B: &CStr = cr#"raw"#;\n',
    "macro_rules! m {\n    ($value:expr_2021) => { $value };\n}\n",
    "fn f<'r#async>(x: &'r#async str) -> &'r#async str {\n    x\n}\n",
    "fn f() {\n    let r#gen = gen { yield 1 };\n    let raw = &raw const r#gen;\n    call(&raw, &raw[1..]);\n}\n",
  ])("are not caused by Rust 2024: %j", async (text) => {
    expect(await faults("rust", text)).toEqual([]);
    expect(await faults("rust", `${text}fn broken( {}\n`)).toHaveLength(1);
  });

  it("include what Rust 2024 reserves", async () => {
    expect(await faults("rust", 'fn f() {\n    call(#"text"#);\n}\n')).not.toEqual([]);
  });

  it("keep their positions in a faulty text with macros", async () => {
    expect(await faults("c", "EXPORT_API int CALL_IT f(void) { return 1; \n")).toEqual(["1:43 missing `}`"]);
  });
});
