import { strict as assert } from "node:assert";
import { type Loopback, serveTurns } from "../loopback.ts";

/** Behaves like the Gemini API: as many answers as calls, in their order, and schemas only in its own subset. */
export function startProvider(): Promise<Loopback> {
  const reading = [
    { functionCall: { name: "file_read", args: { path: "poem.txt" } } },
    { functionCall: { name: "file_read", args: { path: "prose.txt" } }, thoughtSignature: "c2lnbmF0dXJl" },
  ];
  const edit = { path: "poem.txt", find: "blue", replace: "yellow" };
  return serveTurns([
    ({ tools, contents }) => {
      for (const { name, parameters } of tools[0].functionDeclarations)
        if (parameters) checkSchema(parameters, name);
      assert.equal(contents.length, 1);
      return content(reading);
    },
    ({ contents }) => {
      const [, model, { role, parts }] = contents;
      assert.deepEqual(model, { role: "model", parts: reading });
      assert.equal(role, "user");
      assert.deepEqual(
        parts.map(({ functionResponse }: Schema) => [
          functionResponse.name,
          Object.keys(functionResponse.response),
        ]),
        [
          ["file_read", ["output"]],
          ["file_read", ["error"]],
        ],
      );
      return content([{ functionCall: { id: "3", name: "edit_replace", args: edit } }]);
    },
    ({ contents }) => {
      const { functionResponse } = contents.at(-1).parts[0];
      assert.deepEqual([functionResponse.id, Object.keys(functionResponse.response)], ["3", ["output"]]);
      return content([{ text: "The wood is yellow." }]);
    },
  ]);
}

const keywords = [
  "type",
  "description",
  "nullable",
  "enum",
  "format",
  "items",
  "properties",
  "required",
  "anyOf",
];

function checkSchema(schema: Schema, at: string): void {
  assert.deepEqual(
    Object.keys(schema).filter((keyword) => !keywords.includes(keyword)),
    [],
    at,
  );
  if (schema.anyOf) assert.deepEqual(Object.keys(schema), ["anyOf"], at);
  else assert.match(schema.type, /^(STRING|NUMBER|INTEGER|BOOLEAN|ARRAY|OBJECT)$/, at);
  const inner = [schema.items ?? [], schema.anyOf ?? [], Object.values(schema.properties ?? {})].flat();
  for (const each of inner) checkSchema(each, at);
}

// biome-ignore lint/suspicious/noExplicitAny: any JSON
type Schema = any;

function content(parts: readonly object[]) {
  return { candidates: [{ content: { role: "model", parts }, finishReason: "STOP", index: 0 }] };
}
