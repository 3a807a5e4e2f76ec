import { expect, it } from "vitest";
import { geminiJsonSchema, geminiSchema } from "./gemini.ts";

it("translates Gemini's schema to JSON Schema", () => {
  const schema = geminiSchema({
    type: "object",
    properties: {
      kind: { const: "a", description: "Which." },
      name: { type: ["string", "null"], maxLength: 3 },
      list: { type: "array", items: { type: "object", properties: { all: { type: "boolean" } } } },
      either: { anyOf: [{ type: "string" }, { type: "integer" }] },
    },
    required: ["kind"],
    additionalProperties: false,
  });
  expect(geminiJsonSchema(schema!)).toEqual({
    type: "object",
    properties: {
      kind: { type: "string", description: "Which.", enum: ["a"] },
      name: { type: ["string", "null"] },
      list: { type: "array", items: { type: "object", properties: { all: { type: "boolean" } } } },
      either: { anyOf: [{ type: "string" }, { type: "integer" }] },
    },
    required: ["kind"],
  });
});
