import { afterEach, expect, it, vi } from "vitest";
import { forLocale, wrapWords } from "./terminal.ts";

afterEach(() => vi.unstubAllEnvs());

function inLocale(variables: Record<string, string>, text: string): string {
  for (const name of ["LC_ALL", "LC_CTYPE", "LANG"]) vi.stubEnv(name, variables[name] ?? "");
  return forLocale(text);
}

it("writes ASCII in the C locale", () => {
  const text = "“a” — b … c · d ✓ → ┌─┐│";
  const ascii = '"a" - b ... c - d ok -> +-+|';
  expect([
    inLocale({ LC_ALL: "C" }, text),
    inLocale({ LC_ALL: "POSIX", LANG: "de_DE.UTF-8" }, text),
    inLocale({ LANG: "C" }, text),
  ]).toEqual([ascii, ascii, ascii]);
});

it("keeps all characters in other locales", () => {
  const text = "“a” — b …";
  expect([
    inLocale({}, text),
    inLocale({ LC_ALL: "C.UTF-8" }, text),
    inLocale({ LANG: "C", LC_CTYPE: "en_US.UTF-8" }, text),
    inLocale({ LC_ALL: "C" }, "日本 é"),
  ]).toEqual([text, text, text, "日本 é"]);
});

it("wraps at spaces, and puts a long word on a separate line", () => {
  expect(wrapWords("one two three extraordinarily four", 9)).toEqual([
    "one two",
    "three",
    "extraordinarily",
    "four",
  ]);
});
