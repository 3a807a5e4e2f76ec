import { expect, it } from "vitest";
import { geminiSchema } from "./gemini.ts";

it("expresses unsupported keywords in Gemini's subset", () => {
  expect(
    geminiSchema({
      type: "object",
      properties: {
        kind: { const: "a", description: "Which." },
        level: { enum: [1, 2, null] },
        on: { const: true },
        name: { type: ["string", "null"], maxLength: 3 },
        id: { type: ["string", "integer"], description: "Either." },
        mixed: {
          description: "A name, or several.",
          anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }, { type: "null" }],
        },
        pair: { type: "array", prefixItems: [] },
      },
      required: ["kind", "env"],
      additionalProperties: false,
    }),
  ).toEqual({
    type: "OBJECT",
    properties: {
      kind: { type: "STRING", format: "enum", description: "Which.", enum: ["a"] },
      level: { type: "NUMBER", nullable: true },
      on: { type: "BOOLEAN" },
      name: { type: "STRING", nullable: true },
      id: {
        anyOf: [
          { type: "STRING", description: "Either." },
          { type: "INTEGER", description: "Either." },
        ],
      },
      mixed: {
        anyOf: [
          { type: "STRING", description: "A name, or several.", nullable: true },
          { type: "ARRAY", items: { type: "STRING" } },
        ],
      },
      pair: { type: "ARRAY", items: { type: "STRING" } },
    },
    required: ["kind"],
  });
});

it("follows references, and stops at cycles", () => {
  const schema = geminiSchema({
    type: "object",
    properties: { first: { $ref: "#/$defs/node", description: "Where it begins." } },
    $defs: {
      node: { type: "object", properties: { value: { type: "number" }, next: { $ref: "#/$defs/node" } } },
    },
  });
  const { first } = schema!.properties!;
  expect([first!.description, first!.properties!.value, JSON.stringify(schema).length < 2_000]).toEqual([
    "Where it begins.",
    { type: "NUMBER" },
    true,
  ]);
});

it("drops objects without known properties, and empty parameters", () => {
  const env = { type: "object", additionalProperties: { type: "string" } };
  expect([
    geminiSchema({ type: "object", properties: {} }),
    geminiSchema({ type: "object", properties: { command: { type: "string" }, env } }),
  ]).toEqual([undefined, { type: "OBJECT", properties: { command: { type: "STRING" } } }]);
});
