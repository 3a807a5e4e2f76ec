import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import type { Tool } from "../../src/contract/tool.ts";
import { codeRename } from "../../src/tools/code/rename.ts";
import { codeSymbols } from "../../src/tools/code/symbols.ts";
import { codeValidate } from "../../src/tools/code/validate.ts";
import { editSmart } from "../../src/tools/edit/smart.ts";
import { codeFixture } from "../support/code-fixture.ts";

/**
 * Attacks with which a red team got past the first code tools: an edit at another position, another meaning, a false
 * answer.
 */
const fixture = codeFixture();
afterAll(() => fixture[Symbol.asyncDispose]());

/** Returns how a call is refused, and checks that the file is unchanged. */
async function refused<Input>(tool: Tool<Input, unknown>, text: string, input: Input & { path: string }) {
  writeFileSync(fixture.at(input.path), text);
  const { code } = await fixture.refusal(tool, input);
  return { code, isSame: readFileSync(fixture.at(input.path), "utf8") === text };
}

describe("an ambiguous location", () => {
  const numbered = Array.from({ length: 20 }, (_, index) => `const v${index} = ${index + 100};\n`).join("");

  it.each(["3:12", "line 3:12", "lines 3 and 12"])(
    "is not read as a range: %s",
    { tags: "slow" },
    async (location) => {
      expect(
        await refused(editSmart, numbered, { path: "numbers.ts", location, operation: "delete" }),
      ).toEqual({ code: "ambiguous-match", isSame: true });
    },
  );

  const locks =
    "/// Locks the mutex, blocking the current thread until it is available.\n" +
    "fn lock(&self) -> Guard { self.inner.lock() }\n" +
    "/// Attempts to lock the mutex without blocking.\n" +
    "fn try_lock(&self) -> Option<Guard> { self.inner.try_lock() }\n" +
    "/// Number of waiters.\nfn waiters(&self) -> usize { self.n }\nfn unrelated(x: i32) -> i32 { x }\n";

  it.each([
    "the function that locks the mutex and does not block the thread",
    "locks the mutex but does not block the current thread",
    "function to lock without blocking the thread",
  ])("does not match what the description negates: %s", { tags: "slow" }, async (location) => {
    expect(await refused(editSmart, locks, { path: "locks.rs", location, operation: "delete" })).toEqual({
      code: "no-match",
      isSame: true,
    });
  });

  it.each(["let timeout_seconds = 5000;", "assert_false(value_of_thing);"])(
    "does not match a line with another value or word: %s",
    async (location) => {
      const text = "fn f() {\n    let timeout_seconds = 3000;\n    assert_true(value_of_thing);\n}\n";
      expect(await refused(editSmart, text, { path: "near.rs", location, operation: "delete" })).toEqual({
        code: "no-match",
        isSame: true,
      });
    },
  );
});

describe("a rename that would change the meaning", () => {
  it.each([
    ["a grammar keyword in a macro", "a.rs", "fn gen() {}\nfn main() { dbg!(gen()); }\n", "gen", "other"],
    [
      "a constant that captures a pattern",
      "a.rs",
      "const A: u8 = 3;\nfn f(v: u8) -> u8 { match v { n => n } }\n",
      "A",
      "n",
    ],
    [
      "the body of a macro",
      "a.c",
      "#define LIMIT limit\nint limit = 7;\nint f(void) { return LIMIT; }\n",
      "limit",
      "most",
    ],
    [
      "a local that a macro would capture",
      "a.c",
      "#define LIMIT limit\nint limit = 7;\nint f(void) { int q = 1; return q + LIMIT; }\n",
      "q",
      "limit",
    ],
    [
      "a member behind a macro",
      "a.c",
      "#define GET(s, x) ((s)->x)\nstatic int x;\nstruct n { int x; };\nint f(struct n *p) { return GET(p, x) + x; }\n",
      "x",
      "other",
    ],
    [
      "a type parameter of merged declarations",
      "a.ts",
      "class Box<T> { a?: T }\ninterface Box<T> { b?: T }\n",
      "T",
      "U",
    ],
  ])("is refused: %s", async (_, path, text, name, newName) => {
    const line = text.split("\n").findIndex((each) => new RegExp(`\\b${name}\\b`).test(each)) + 1;
    for (const at of [{}, { line }])
      expect((await refused(codeRename, text, { path, name, new_name: newName, ...at })).isSame).toBe(true);
  });
});

it("checks other files correctly after one that overruns its scanner", { tags: "slow" }, async () => {
  writeFileSync(fixture.at("deep.yaml"), `${"- ".repeat(300)}x\n`);
  await fixture.run(codeValidate, { path: "deep.yaml" }).catch(() => undefined);
  const others = {
    "broken.json": '{"a": [1, 2, 3}',
    "sound.ts": "export const a: number = 1;\n",
    "sound.go": "package a\n\nfunc f() {}\n",
  };
  const parses: boolean[] = [];
  for (const [path, text] of Object.entries(others)) {
    writeFileSync(fixture.at(path), text);
    parses.push((await fixture.run(codeValidate, { path })).data.parses);
  }
  expect(parses).toEqual([false, true, true]);
});

it("shows names of files and symbols on one line", async () => {
  await using named = codeFixture({
    "new\nline.ts": "export function f() {}\n",
    "a.md": "# Title \u001b[2J\n",
  });
  const { text } = await named.run(codeSymbols, { path: "." });
  expect(text).toBe(
    'a.md\n  Heading Title <U+001B>[2J [1-1]\n"new\\nline.ts"\n  Function f [1-1]: export function f()',
  );
});
