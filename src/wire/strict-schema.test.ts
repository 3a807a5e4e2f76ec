import { expect, it } from "vitest";
import { strictSchema, withoutNulls } from "./strict-schema.ts";

const edit = {
  type: "object",
  properties: {
    path: { type: "string", description: "File." },
    mode: { type: "string", enum: ["a", "b"] },
    cell: { anyOf: [{ type: "integer" }, { type: "string" }] },
    nothing: { type: ["string", "null"] },
    edits: {
      type: "array",
      items: {
        type: "object",
        properties: { find: { type: "string" }, all: { type: "boolean" } },
        required: ["find"],
        additionalProperties: false,
      },
    },
  },
  required: ["path"],
  additionalProperties: false,
};

it("requires every property, and lets optional ones be null", () => {
  expect(strictSchema(edit)).toEqual({
    type: "object",
    properties: {
      path: { type: "string", description: "File." },
      mode: { type: ["string", "null"], enum: ["a", "b", null] },
      cell: { anyOf: [{ type: "integer" }, { type: "string" }, { type: "null" }] },
      nothing: { type: ["string", "null"] },
      edits: {
        type: ["array", "null"],
        items: {
          type: "object",
          properties: { find: { type: "string" }, all: { type: ["boolean", "null"] } },
          required: ["find", "all"],
          additionalProperties: false,
        },
      },
    },
    required: ["path", "mode", "cell", "nothing", "edits"],
    additionalProperties: false,
  });
});

it("returns no strict schema when strict mode cannot express the schema", () => {
  const env = { type: "object", additionalProperties: { type: "string" } };
  expect([
    strictSchema({ type: "object", properties: { env } }),
    strictSchema({ type: "object", properties: { any: {} } }),
    strictSchema({ type: "object", properties: { list: { type: "array" } } }),
    strictSchema({ type: "object", properties: {}, patternProperties: {} }),
  ]).toEqual([undefined, undefined, undefined, undefined]);
});

it("removes the nulls that only strict mode requires", () => {
  const given = {
    path: "a",
    mode: null,
    cell: null,
    nothing: null,
    edits: [{ find: "x", all: null }],
    unknown: null,
  };
  expect(withoutNulls(edit, given)).toEqual({
    path: "a",
    nothing: null,
    edits: [{ find: "x" }],
    unknown: null,
  });
});

it("keeps the null of a required property, so that it is refused", () => {
  expect(withoutNulls(edit, { path: null })).toEqual({ path: null });
});

it("leaves other values unchanged", () => {
  expect([null, "a", [1, null]].map((given) => withoutNulls(edit, given))).toEqual([null, "a", [1, null]]);
});
