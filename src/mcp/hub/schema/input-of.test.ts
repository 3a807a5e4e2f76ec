import { expect, it } from "vitest";
import * as z from "zod/mini";
import { inputOf, withoutNulls } from "./input-of.ts";
import type { ObjectSchema } from "./repair-schema.ts";

const schema: ObjectSchema = {
  type: "object",
  properties: {
    path: { type: "string" },
    depth: { type: "integer" },
    more: {},
    none: { type: ["string", "null"] },
  },
  required: ["path", "more"],
};

it("passes the server's descriptions to models verbatim", () => {
  const { $schema: _, ...shown } = z.toJSONSchema(inputOf(schema), { io: "input" });
  expect(shown).toEqual(schema);
});

it("checks required fields and plain values, and leaves the rest to the server", () => {
  const input = inputOf(schema);
  const fits = (value: unknown) => z.safeParse(input, value).success;
  const right = [
    { path: "a", more: 1 },
    { path: "a", more: null, depth: 2, other: [] },
    { path: "a", more: 0, depth: null },
  ];
  const wrong = [
    {},
    { path: 1, more: 1 },
    { path: "a" },
    { path: null, more: 1 },
    { path: "a", more: 1, depth: "2" },
    [],
    "a",
  ];
  expect([right.map(fits), wrong.map(fits)]).toEqual([right.map(() => true), wrong.map(() => false)]);
});

it("rejects unknown fields when the server's schema forbids them", () => {
  const input = inputOf({ ...schema, required: [], additionalProperties: false });
  expect([{ path: "a" }, { paht: "a" }].map((value) => z.safeParse(input, value).success)).toEqual([
    true,
    false,
  ]);
});

it("leaves out optional fields that are null", () => {
  expect(withoutNulls({ path: null, depth: null, more: null, none: null }, schema)).toEqual({
    path: null,
    more: null,
    none: null,
  });
});
