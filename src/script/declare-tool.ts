import type { ScriptTool } from "../contract/script.ts";
import { isRecord } from "../lib/json/is-record.ts";
import { dataTypes } from "./data-types.ts";

/** Returns the TypeScript declaration of a tool, from the schemas of its definition. */
export function declareTool({ name, description, inputSchema, dataSchema }: ScriptTool): string {
  const comment = description.replaceAll("*/", "*\\/").replace(/\s*\n\s*/g, " ");
  const isOptional = !Array.isArray(inputSchema["required"]) || inputSchema["required"].length === 0;
  const input = `input${isOptional ? "?" : ""}: ${typeOf(inputSchema, "")}`;
  const data = dataSchema === undefined ? (dataTypes[name] ?? "unknown") : typeOf(dataSchema, "");
  return `/** ${comment} */\ntools${accessTo(name)}(${input}): Promise<{ data: ${data}; text: string; failed?: string }>;`;
}

/** Returns how a program writes the name: `.file.read`, or `["my-tool"]`. */
function accessTo(name: string): string {
  return name
    .split(".")
    .map((part) => (isIdentifier.test(part) ? `.${part}` : `[${JSON.stringify(part)}]`))
    .join("");
}

const isIdentifier = /^[A-Za-z_$][\w$]*$/;

/** Returns the type of a JSON Schema; `unknown` for what TypeScript cannot express. */
function typeOf(schema: unknown, indent: string): string {
  if (!isRecord(schema) || indent.length > maxDepth) return "unknown";
  if ("const" in schema) return JSON.stringify(schema["const"]);
  if (Array.isArray(schema["enum"])) return schema["enum"].map((value) => JSON.stringify(value)).join(" | ");
  const choices = schema["anyOf"] ?? schema["oneOf"];
  if (Array.isArray(choices)) return [...new Set(choices.map((each) => typeOf(each, indent)))].join(" | ");
  const { type, items, ...rest } = schema;
  if (Array.isArray(type)) {
    // Each part of the schema is read once: a server could repeat types at every level, which would take forever.
    const partOf = (each: unknown) => (each === "array" ? { items } : each === "object" ? rest : {});
    const types = [...new Set(type)].map((each) => typeOf({ ...partOf(each), type: each }, indent));
    return [...new Set(types)].join(" | ") || "unknown";
  }
  if (type === "integer") return "number";
  if (type === "array") return listOf(typeOf(items, indent));
  if (type === "object" || isRecord(schema["properties"])) return objectType(schema, indent);
  return typeof type === "string" && plainTypes.has(type) ? type : "unknown";
}

const maxDepth = 16;
const plainTypes: ReadonlySet<string> = new Set(["string", "number", "boolean", "null"]);

function listOf(type: string): string {
  return / \| /.test(type) ? `(${type})[]` : `${type}[]`;
}

function objectType(schema: Readonly<Record<string, unknown>>, indent: string): string {
  const { properties, required, additionalProperties } = schema;
  const fields = Object.entries(isRecord(properties) ? properties : {});
  if (fields.length === 0)
    return isRecord(additionalProperties)
      ? `Record<string, ${typeOf(additionalProperties, indent)}>`
      : additionalProperties === false
        ? "{}"
        : "Record<string, unknown>";
  const needed = new Set(Array.isArray(required) ? required : []);
  const inner = `${indent}  `;
  const lines = fields.map(([name, field]) => {
    const key = isIdentifier.test(name) ? name : JSON.stringify(name);
    const about =
      isRecord(field) && typeof field["description"] === "string"
        ? ` // ${oneLine(field["description"])}`
        : "";
    return `${inner}${key}${needed.has(name) ? "" : "?"}: ${typeOf(field, inner)};${about}`;
  });
  return `{\n${lines.join("\n")}\n${indent}}`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ");
}
