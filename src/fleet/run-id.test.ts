import fc from "fast-check";
import { expect, it } from "vitest";
import { canonicalJson } from "./run-id.ts";

const shuffled = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(shuffled);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, part]) => [key, shuffled(part)]),
  );
};

it("does not depend on the order of fields", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(canonicalJson(shuffled(value))).toBe(canonicalJson(value));
    }),
  );
});

it("keeps every value", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

it("tells values apart that differ in one field", () => {
  expect(canonicalJson({ a: 1, b: [{ d: null, c: "" }] })).toBe('{"a":1,"b":[{"c":"","d":null}]}');
  expect(canonicalJson({ a: "1" })).not.toBe(canonicalJson({ a: 1 }));
});
