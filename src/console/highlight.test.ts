import { expect, it } from "vitest";
import { highlightLine } from "./page/highlight.ts";

/** The highlighted parts of a line, as "kind text". */
function parts(path: string, line: string): readonly string[] {
  return highlightLine(line, path).map(([start, end, kind]) => `${kind} ${line.slice(start, end).trim()}`);
}

it.each([
  [
    "a.ts",
    'const text: Promise<string> = load("it\'s", 0x1f); // done',
    [
      "keyword const",
      "type Promise",
      "keyword string",
      "function load",
      'string "it\'s"',
      "number 0x1f",
      "comment // done",
    ],
  ],
  ["a.ts", "codes.delete(...new Set())", ["function delete", "keyword new", "function Set"]],
  ["a.ts", " * Returns the type.", ["comment * Returns the type."]],
  [
    "a.py",
    "    return self.total(None) # a sum",
    ["keyword return", "keyword self", "function total", "keyword None", "comment # a sum"],
  ],
  ["a.py", "@dataclass(frozen=True)", ["attribute @dataclass", "keyword True"]],
  [
    "a.rs",
    "impl<'a> Cart<'a> { fn f(&'a self) { println!(\"{}\", '\\n'); } }",
    [
      ...["keyword impl", "type 'a", "type Cart", "type 'a", "keyword fn", "function f", "type 'a"],
      ...["keyword self", "function println", 'string "{}"', "string '\\n'"],
    ],
  ],
  ["a.go", "for _, item := range c.Items { sum += item.Price }", ["keyword for", "keyword range"]],
  [
    "a.json",
    '  "private": [true, "yes: no", 1.5],',
    ['property "private"', "keyword true", 'string "yes: no"', "number 1.5"],
  ],
  ["a.yaml", '  - run: npm test # "all"', ["property - run", 'comment # "all"']],
  [
    "a.sh",
    'if [[ -n "$x" ]]; then echo $HOME; fi # don\'t',
    ["keyword if", 'string "$x"', "keyword then", "constant $HOME", "keyword fi", "comment # don't"],
  ],
  ["a.md", "# Don't `panic`", ["keyword # Don't `panic`"]],
  ["a.md", "Don't `panic`: **see** [a](b)", ["string `panic`", "type **see**", "type [a](b)"]],
  ["notes.txt", 'if "this" is text', []],
])("highlights a line of %s: %s", (path, line, expected) => {
  expect(parts(path, line)).toEqual(expected);
});
