import fc from "fast-check";
import { expect, it } from "vitest";
import { prettyJson } from "./pretty-json.ts";

it("puts each value on a line, but keeps short values on one", () => {
  const text = `{"name":"a, b: [c]","empty":{},"list":[1,2.50,12345678901234567890,1e400],"long":["${"x".repeat(60)}","${"y".repeat(60)}"],"deep":[{"a":null}]}`;
  expect(prettyJson(text)).toBe(`{
  "name": "a, b: [c]",
  "empty": {},
  "list": [1, 2.50, 12345678901234567890, 1e400],
  "long": [
    "${"x".repeat(60)}",
    "${"y".repeat(60)}"
  ],
  "deep": [
    {"a": null}
  ]
}`);
});

it.each(["", "{", "{'a':1}", "[1,]", "NaN", '{"a":1}x', '"\\x"', `${"[".repeat(9)}`])(
  "returns undefined for invalid JSON: %j",
  (text) => {
    expect(prettyJson(text)).toBeUndefined();
  },
);

it.each(["1", '"a"', "null", " [ ] "])("keeps %j on one line", (text) => {
  expect(prettyJson(text)).toBe(text.replaceAll(" ", ""));
});

it("keeps the value of any JSON", () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 8 }), (text) => {
      const pretty = prettyJson(text)!;
      expect(JSON.stringify(JSON.parse(pretty))).toBe(JSON.stringify(JSON.parse(text)));
    }),
  );
});

it("does not grow quadratically with nesting", () => {
  const nested = `${"[".repeat(3000)}${"]".repeat(3000)}`;
  const pretty = prettyJson(nested)!;
  expect([JSON.stringify(JSON.parse(pretty)) === nested, pretty.length < 40_000]).toEqual([true, true]);
});
