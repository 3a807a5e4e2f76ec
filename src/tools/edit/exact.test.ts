import { readFileSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { toolFixture } from "../../../test/support/tool-fixture.ts";
import { editReplace } from "./replace.ts";

it("matches text character by character and inserts the new text unchanged", async () => {
  await using opened = toolFixture();
  writeFileSync(opened.at("a.txt"), "  one\r\n\ttwo \r\nthree\n");
  await opened.run(editReplace, { path: "a.txt", find: "\ttwo \r\n", replace: "2\n", exact: true });
  expect(readFileSync(opened.at("a.txt"), "utf8")).toBe("  one\r\n2\nthree\n");
});

it.each([
  ["indentation", "if x:\n\treturn\n", "if x:\n    return\n", "line 1 has other indentation"],
  ["trailing blanks", "a \nb\n", "a\nb\n", "line 1 has other blanks at line ends"],
  ["line endings", "a\r\nb\r\n", "a\nb\n", "line 1 has other line ends"],
  ["quotes", "say “hello” to them\n", 'say "hello" to them', "line 1 has other quotes, dashes or blanks"],
])("names the line that differs in %s, and changes nothing", async (_, content, find, where) => {
  await using opened = toolFixture();
  writeFileSync(opened.at("a.txt"), content);
  expect(await opened.refusal(editReplace, { path: "a.txt", find, replace: "new", exact: true })).toEqual({
    code: "no-match",
    message: `a.txt: the text was not found exactly; the text at ${where}`,
    hint: "Copy it from the file character by character, including blanks and line ends.",
  });
  expect(readFileSync(opened.at("a.txt"), "utf8")).toBe(content);
});

it("refuses text that occurs twice, and replaces all occurrences on request", async () => {
  await using opened = toolFixture();
  writeFileSync(opened.at("a.txt"), "x = 1;\nx  = 1;\nx = 1;\n");
  const twice = { path: "a.txt", find: "x = 1;", replace: "x = 2;", exact: true };
  expect((await opened.refusal(editReplace, twice)).code).toBe("ambiguous-match");
  await opened.run(editReplace, { ...twice, all: true });
  expect(readFileSync(opened.at("a.txt"), "utf8")).toBe("x = 2;\nx  = 1;\nx = 2;\n");
});
