/** Schemas as servers of all kinds and ages have them. */
export function oddSchemas(): Record<string, unknown> {
  return {
    none: undefined,
    nothing: null,
    anything: true,
    empty: {},
    text: { type: "string" },
    list: { type: "array", items: { type: "string" } },
    untyped: { properties: { path: { type: "string" } }, required: ["path"] },
    draft4: {
      $schema: "http://json-schema.org/draft-04/schema#",
      id: "http://example.com/x",
      type: "object",
      properties: {
        age: { type: "integer", minimum: 0, exclusiveMinimum: true },
        who: { type: "str", required: true },
      },
    },
    referred: {
      type: "object",
      properties: {
        at: { $ref: "#/$defs/point", description: "Where" },
        lost: { $ref: "http://example.com/other" },
      },
      $defs: { point: { type: "object", properties: { x: { type: "number" } } } },
    },
    recursive: {
      type: "object",
      properties: { tree: { $ref: "#/definitions/node" } },
      definitions: {
        node: {
          type: "object",
          properties: { children: { type: "array", items: { $ref: "#/definitions/node" } } },
        },
      },
    },
    choice: {
      anyOf: [
        {
          type: "object",
          properties: { a: { type: "string" }, both: { type: "string" } },
          required: ["a", "both"],
        },
        {
          type: "object",
          properties: { b: { type: "string" }, both: { type: "string" } },
          required: ["b", "both"],
        },
      ],
    },
    places: {
      type: "object",
      properties: {
        pair: { type: "array", items: [{ type: "string" }, { type: "number" }] },
        bare: { type: "array" },
      },
    },
    unnameable: {
      type: "object",
      properties: { "a b": { type: "string" }, ok: { type: ["string", "null"] } },
    },
    needsUnnameable: { type: "object", properties: { "a b": { type: "string" } }, required: ["a b"] },
    huge: {
      type: "object",
      properties: Object.fromEntries(
        Array.from({ length: 3_000 }, (_, index) => [
          `property_${index}`,
          { type: "string", description: "x".repeat(200) },
        ]),
      ),
    },
    needsUnlisted: { type: "object", properties: {}, required: ["query", 7] },
    broken: {
      type: "object",
      properties: { p: { type: "string", pattern: "(", enum: [], minLength: -1 }, q: "text", r: false },
    },
  };
}
