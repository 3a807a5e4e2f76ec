import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { escapeGlob, parseGlob } from "./glob.ts";

const paths = [
  "a.ts",
  "a.tsx",
  "b.js",
  ".env",
  "src/a.ts",
  "src/b.test.ts",
  "src/lib/a.ts",
  "src/lib/deep/c.ts",
  "docs/src/a.ts",
  "weird/[x].md",
  "weird/{y}.md",
  "weird/ü😀.md",
];

function matching(pattern: string, options?: { ignoreCase?: boolean }): string[] {
  const glob = parseGlob(pattern, options);
  return paths.filter((path) => glob.matches(path, "file"));
}

describe("parseGlob", () => {
  it.each<[string, string[]]>([
    ["*.ts", ["a.ts", "src/a.ts", "src/b.test.ts", "src/lib/a.ts", "src/lib/deep/c.ts", "docs/src/a.ts"]],
    ["/*.ts", ["a.ts"]],
    ["./*.ts", ["a.ts"]],
    ["src/*.ts", ["src/a.ts", "src/b.test.ts"]],
    ["src/**", ["src/a.ts", "src/b.test.ts", "src/lib/a.ts", "src/lib/deep/c.ts"]],
    ["src/**/a.ts", ["src/a.ts", "src/lib/a.ts"]],
    ["**/src/*.ts", ["src/a.ts", "src/b.test.ts", "docs/src/a.ts"]],
    ["**/a.ts", ["a.ts", "src/a.ts", "src/lib/a.ts", "docs/src/a.ts"]],
    ["src/*/**/c.ts", ["src/lib/deep/c.ts"]],
    ["a.{ts,tsx}", ["a.ts", "a.tsx", "src/a.ts", "src/lib/a.ts", "docs/src/a.ts"]],
    ["{b.js,src/{a,b.test}.ts}", ["b.js", "src/a.ts", "src/b.test.ts"]],
    ["/[!a].*", ["b.js"]],
    ["/[a-b].{t,j}s", ["a.ts", "b.js"]],
    ["/[[:alpha:]].?s", ["a.ts", "b.js"]],
    [".*", [".env"]],
    ["\\[x\\].md", ["weird/[x].md"]],
    ["[[]x[]].md", ["weird/[x].md"]],
    ["\\{y\\}.md", ["weird/{y}.md"]],
    ["[{]y[}].md", ["weird/{y}.md"]],
    ["ü?.md", ["weird/ü😀.md"]],
    ["ü[😀].md", ["weird/ü😀.md"]],
    ["src/", []],
    ["A.TS", []],
    ["**", paths],
  ])("%s", (pattern, expected) => {
    expect(matching(pattern)).toEqual(expected);
  });

  it("ignores case on request", () => {
    expect(matching("/[A-A].TS{,X}", { ignoreCase: true })).toEqual(["a.ts", "a.tsx"]);
  });

  it("matches only directories with a trailing slash", () => {
    const glob = parseGlob("lib/");
    expect([glob.matches("src/lib", "directory"), glob.matches("src/lib", "file")]).toEqual([true, false]);
  });

  it("determines below which directories something could match", () => {
    const below = (pattern: string) =>
      ["", "src", "src/lib", "docs"].filter((directory) => parseGlob(pattern).couldMatchBelow(directory));
    expect([below("*.ts"), below("src/*.ts"), below("src/**"), below("s*/lib/**/a"), below("/a.ts")]).toEqual(
      [["", "src", "src/lib", "docs"], ["", "src"], ["", "src", "src/lib"], ["", "src", "src/lib"], [""]],
    );
  });

  it.each<[string, string, string]>([
    [
      "src/[a",
      "Bad glob at character 5: unclosed class\n  src/[a\n      ^",
      'Close it with "]", or write "\\[" for a bracket.',
    ],
    [
      "*.{ts,js",
      "Bad glob at character 3: unclosed brace\n  *.{ts,js\n    ^",
      'Close it with "}", or write "\\{" for a brace.',
    ],
    ["a}", 'Bad glob at character 2: unopened "}"\n  a}\n   ^', 'Write "\\}" for a brace.'],
    [
      "[z-a]",
      "Bad glob at character 1: a range in this class is reversed\n  [z-a]\n  ^",
      "Write the smaller character first.",
    ],
    ["a\\", "Bad glob at character 2: trailing backslash\n  a\\\n   ^", 'Write "\\\\" for a backslash.'],
    [
      "{a,b}".repeat(9),
      `The braces in "${"{a,b}".repeat(9)}" expand to more than 256 patterns`,
      "Use fewer braces, or several calls.",
    ],
  ])("explains what is wrong with %s", (pattern, message, hint) => {
    expect(() => parseGlob(pattern)).toThrow(
      expect.objectContaining({ code: "invalid-input", message, hint }),
    );
  });

  it("returns quickly for patterns that would hang a backtracking matcher", () => {
    expect(parseGlob(`${"*a".repeat(200)}b`).matches("a".repeat(2000), "file")).toBe(false);
    expect(parseGlob(`${"**/a/".repeat(100)}b/c`).matches(`${"a/".repeat(500)}c`, "file")).toBe(false);
  });

  it("matches every path by its escaped form, and no other path", () => {
    const name = fc
      .string({ minLength: 1, unit: "grapheme" })
      .filter((text) => !text.includes("/") && text !== ".");
    const path = fc.array(name, { minLength: 2, maxLength: 4 }).map((names) => names.join("/"));
    fc.assert(
      fc.property(path, path, (one, other) => {
        const glob = parseGlob(escapeGlob(one));
        expect([glob.matches(one, "file"), glob.matches(other, "file")]).toEqual([true, one === other]);
      }),
    );
  });
});
