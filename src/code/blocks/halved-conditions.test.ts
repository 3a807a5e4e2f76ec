import { expect, it } from "vitest";
import { halvedConditions } from "./change-damage.ts";

const text = "#ifdef A\nint f(void) {\n#else\nint f(int x) {\n#endif\n  return 1;\n}\nint g;\n";

const changes: Readonly<Record<string, readonly [string, string, string | undefined]>> = {
  "the removal of a block with half a condition": [
    text.slice(9, -7),
    "",
    "2:1 `#else #endif`, whose other part stays, would become nothing",
  ],
  "the replacement of such a block by one without it": [
    text.slice(9, -7),
    "int f(void) { return 2; }\n",
    "2:1 `#else #endif`, whose other part stays, would become nothing",
  ],
  "the replacement of such a block by one with the same half": [
    text.slice(9, -7),
    "int f() {\n#else\nint f(int y) {\n# endif\n}\n",
    undefined,
  ],
  "a block with a whole condition": [text.slice(0, -7), "#if B\n#endif\n", undefined],
  "an unterminated condition": ["int g;", "#if B\nint g;", "8:1 `#if` has no other part"],
  "a directive that becomes another": [
    "lse\nint f(int",
    "ndif\nint f(int",
    "3:1 `#else`, whose other part stays, would become `#endif`",
  ],
  "an end that was missing": ["int g;\n", "#endif\n", undefined],
};

it.each(Object.entries(changes))("checks %s", (name, [old, now, fault]) => {
  const before = name.includes("missing") ? `#if B\n${text}` : text;
  const start = before.indexOf(old);
  const splices = [{ start, end: start + old.length, text: now }];
  const faults = halvedConditions(before, "c", splices);
  expect(faults.map(({ line, column, message }) => `${line}:${column} ${message}`)).toEqual(
    fault === undefined ? [] : [fault],
  );
  expect(halvedConditions(before, "python", splices)).toEqual([]);
});
