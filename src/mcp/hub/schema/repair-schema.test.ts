import { expect, it } from "vitest";
import { oddSchemas } from "../../../../test/hostile-server/odd-schemas.ts";
import { repairSchema } from "./repair-schema.ts";

it("makes every kind of schema valid for providers, or explains why it cannot", () => {
  const repaired = Object.entries(oddSchemas()).map(([name, schema]) => [name, outcome(schema)]);
  const nothing = { type: "object", properties: {} };
  expect(Object.fromEntries(repaired)).toEqual({
    none: nothing,
    nothing,
    anything: nothing,
    empty: nothing,
    text: 'its input is not an object, but "string"',
    list: 'its input is not an object, but "array"',
    untyped: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
    draft4: {
      type: "object",
      properties: { age: { type: "integer", exclusiveMinimum: 0 }, who: { type: "string" } },
      required: ["who"],
    },
    referred: {
      type: "object",
      properties: {
        at: { type: "object", description: "Where", properties: { x: { type: "number" } } },
        lost: {},
      },
    },
    recursive: {
      type: "object",
      properties: {
        tree: { type: "object", properties: { children: { type: "array", items: {} } } },
      },
    },
    choice: {
      type: "object",
      properties: { a: { type: "string" }, b: { type: "string" }, both: { type: "string" } },
      required: ["both"],
    },
    places: {
      type: "object",
      properties: {
        pair: { type: "array", items: { anyOf: [{ type: "string" }, { type: "number" }] } },
        bare: { type: "array", items: {} },
      },
    },
    unnameable: { type: "object", properties: { ok: { type: ["string", "null"] } } },
    needsUnnameable: 'providers refuse the name of a required argument: "a b"',
    huge: "its input schema has 519690 characters; the limit is 65536",
    needsUnlisted: { type: "object", properties: { query: {} }, required: ["query"] },
    broken: { type: "object", properties: { p: { type: "string" }, q: {} } },
  });
});

it("leaves valid schemas unchanged", () => {
  const schema = {
    type: "object",
    description: "What to do.",
    properties: {
      mode: { type: "string", enum: ["a", "b"], default: "a", description: "How." },
      count: { type: "integer", minimum: 1, maximum: 9 },
      lines: { type: "array", items: { type: "string", pattern: "^a+$" }, maxItems: 3 },
      either: { anyOf: [{ type: "string" }, { type: "null" }] },
      map: { type: "object", additionalProperties: { type: "number" } },
    },
    required: ["mode"],
    additionalProperties: false,
  };
  expect(repairSchema(schema)).toEqual(schema);
});

it("stops at schemas that are endless by depth, by width or by a reference to itself", () => {
  let deep: unknown = { type: "string" };
  for (let depth = 0; depth < 5_000; depth += 1) deep = { type: "object", properties: { a: deep } };
  const wide = {
    type: "object",
    properties: { a: { anyOf: Array.from({ length: 100_000 }, () => ({ type: "string" })) } },
  };
  const itself = {
    type: "object",
    properties: { self: { $ref: "#" }, other: { $ref: "#/properties/other" } },
  };
  const sizes = [deep, wide].map((schema) => JSON.stringify(outcome(schema)).length);
  expect(sizes.every((size) => size < 65_536)).toBe(true);
  expect(repairSchema(itself)).toEqual({
    type: "object",
    properties: { self: { type: "object", properties: { self: {}, other: {} } }, other: {} },
  });
});

it("stays within its limits however often references point to the same schema", { tags: "slow" }, () => {
  const names = (count: number) => Array.from({ length: count }, (_, index) => `r${index}`);
  const referring = (target: unknown) => ({
    type: "object",
    properties: Object.fromEntries(names(900).map((name) => [name, { $ref: "#/d" }])),
    d: target,
  });
  const pointer = { $ref: `#/${"x/".repeat(100_000)}` };
  const needed = JSON.stringify(outcome(referring({ properties: {}, required: names(20_000) })));
  const unnameable = Object.fromEntries(names(100_000).map((name) => [`!${name}`, {}]));
  expect([
    needed.replace(/\d{6,}/, "many"),
    outcome(referring(pointer)),
    outcome({ type: "object", properties: unnameable, required: names(100_000) }),
  ]).toEqual([
    '"its input schema has many characters; the limit is 65536"',
    { type: "object", properties: Object.fromEntries(names(900).map((name) => [name, {}])) },
    "its input schema is too large or nested too deeply",
  ]);
});

it("does not treat built-in object properties as types", () => {
  const types = ["__proto__", "constructor", ["string", "toString"]];
  const properties = Object.fromEntries(types.map((type, index) => [`p${index}`, { type }]));
  expect(repairSchema({ type: "object", properties })).toEqual({
    type: "object",
    properties: { p0: {}, p1: {}, p2: { type: "string" } },
  });
});

function outcome(schema: unknown): unknown {
  try {
    return repairSchema(schema);
  } catch (error) {
    return (error as Error).message;
  }
}
