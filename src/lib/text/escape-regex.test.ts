import { expect, it } from "vitest";
import { escapeRegex, wildcardRegex } from "./escape-regex.ts";

it("matches exactly the text, with and without the u flag", () => {
  const text = "a.b*c+d?(e)[f]{g}^$|\\/-";
  for (const flags of ["", "u"]) expect(new RegExp(`^${escapeRegex(text)}$`, flags).test(text)).toBe(true);
  expect(new RegExp(`^${escapeRegex("a.b")}$`).test("axb")).toBe(false);
});

it("lets * match any text, and only *", () => {
  const names = ["file.read", "file.", "filexread", "file.a\nb"];
  expect(names.filter((name) => wildcardRegex("file.*").test(name))).toEqual([
    "file.read",
    "file.",
    "file.a\nb",
  ]);
});
