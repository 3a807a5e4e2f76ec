import { faultsOf } from "../../golden/legality.ts";
import { unknownFields } from "../fields.ts";
import type { Declaration, GoogleRequest } from "./request.ts";

type Tools = NonNullable<GoogleRequest["tools"]>;

/** The list of tools is the same in every request of a session, so it is checked once. */
const judged = new Map<string, readonly string[]>();

export function toolFaults(tools: Tools): readonly string[] {
  const key = JSON.stringify(tools);
  const known = judged.get(key);
  if (known) return known;
  const declared = tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations);
  const names = declared.map(({ name }) => name);
  const faults = [
    ...tools.flatMap((tool) => unknownFields(tool, new Set(["functionDeclarations"]), "tools.")),
    ...names
      .filter((name, index) => names.indexOf(name) !== index)
      .map((name) => `Duplicate function declaration found: ${name}`),
    ...declared.flatMap((tool) => declarationFaults(tool).map((fault) => `${tool.name}: ${fault}`)),
  ];
  judged.set(key, faults);
  return faults;
}

const fields = new Set(["name", "description", "parameters", "parametersJsonSchema"]);

/** A schema in one of two languages: a subset of OpenAPI's, or a subset of JSON Schema. */
function declarationFaults(tool: Declaration): readonly string[] {
  const { parametersJsonSchema: schema, ...rest } = tool;
  return [
    ...unknownFields(tool, fields, "functionDeclarations."),
    ...(tool.description ? [] : ["has no description"]),
    ...(schema !== undefined && tool.parameters !== undefined
      ? ["parameters and parametersJsonSchema are mutually exclusive"]
      : []),
    ...(schema === undefined ? [] : rootFaults(schema as Schema)),
    ...faultsOf("gemini", rest),
  ];
}

interface Schema {
  readonly type?: unknown;
  readonly properties?: Record<string, Schema>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly $defs?: Record<string, Schema>;
  readonly additionalProperties?: boolean | Schema;
  readonly [keyword: string]: unknown;
}

const keywords = new Set([
  ...[
    "$id",
    "$defs",
    "$ref",
    "$anchor",
    "type",
    "format",
    "title",
    "description",
    "enum",
    "items",
    "prefixItems",
  ],
  ...["minItems", "maxItems", "minimum", "maximum", "anyOf", "oneOf", "properties", "additionalProperties"],
  ...["required", "propertyOrdering"],
]);

function rootFaults(schema: Schema): string[] {
  return [
    ...(schema.type === "object" ? [] : ["parameters are no object"]),
    ...schemaFaults(schema, "parametersJsonSchema"),
  ];
}

function schemaFaults(schema: Schema, at: string): string[] {
  const { properties = {}, required = [], items, $defs = {}, additionalProperties } = schema;
  const choices = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.prefixItems ?? [])];
  const beside = Object.keys(schema).filter((keyword) => !keyword.startsWith("$"));
  return [
    ...Object.keys(schema)
      .filter((keyword) => !keywords.has(keyword))
      .map((keyword) => `${at}: ${keyword} is not supported`),
    ...(schema.$ref !== undefined && beside.length > 0 ? [`${at}: ${beside} beside $ref`] : []),
    ...required.filter((name) => !(name in properties)).map((name) => `${at}: no ${name}`),
    ...(schema.type === "array" && !items && !schema.prefixItems ? [`${at}: no items`] : []),
    ...Object.entries(properties).flatMap(([name, inner]) => schemaFaults(inner, `${at}.${name}`)),
    ...Object.entries($defs).flatMap(([name, inner]) => schemaFaults(inner, `${at}.$defs.${name}`)),
    ...choices.flatMap((inner, index) => schemaFaults(inner, `${at}|${index}`)),
    ...(items ? schemaFaults(items, `${at}[]`) : []),
    ...(typeof additionalProperties === "object" ? schemaFaults(additionalProperties, `${at}.*`) : []),
  ];
}
