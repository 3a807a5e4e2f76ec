/**
 * Writes src/toolcrib/dialect-inputs.ts: the canonical tool and the input of every tool of every dialect, for the types of
 * calls. A test checks
 * that it is up to date. Run: npm run docs
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { dialectNames, findDialect } from "../src/dialects/dialects.ts";
import { Toolset } from "../src/dialects/toolset.ts";
import { isRecord } from "../src/lib/json/is-record.ts";

export const dialectInputsPath = join(import.meta.dirname, "../src/toolcrib/dialect-inputs.ts");

export async function dialectInputs(): Promise<string> {
  const dialects: string[] = [];
  for (const name of dialectNames) {
    const dialect = await findDialect(name);
    const toolset = new Toolset(dialect, { has: new Set(["agents"]) });
    const canonicalsOf = (tool: string) =>
      dialect.tools
        .filter((each) => each.name === tool)
        .flatMap(({ canonical, also = [] }) => [canonical, ...also]);
    const tools = (await toolset.definitions("all")).map(
      (tool) =>
        `${comment(tool.description, "    ")}    readonly ${keyOf(tool.name)}: ` +
        `{\n      readonly tool: ${canonicalsOf(tool.name)
          .map((each) => JSON.stringify(each))
          .join(" | ")};\n      readonly input: ${typeOf(tool.inputSchema, "      ")};\n    };\n`,
    );
    dialects.push(`  readonly ${keyOf(name)}: {\n${tools.join("")}  };\n`);
  }
  return `// Written by scripts/dialect-inputs.ts.

/** The canonical tool and the input of every tool, by dialect and name. */
export interface DialectInputs {
${dialects.join("")}}
`;
}

function typeOf(schema: unknown, indent: string): string {
  if (!isRecord(schema)) return "unknown";
  if ("const" in schema) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const choices = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(choices)) return [...new Set(choices.map((each) => typeOf(each, indent)))].join(" | ");
  switch (schema.type) {
    case "integer":
      return "number";
    case "string":
    case "number":
    case "boolean":
    case "null":
      return schema.type;
    case "array": {
      const item = typeOf(schema.items, indent);
      return `readonly ${/[|\s]/.test(item) ? `(${item})` : item}[]`;
    }
    case "object":
      return objectType(schema, indent);
    default:
      return "unknown";
  }
}

function objectType(schema: Readonly<Record<string, unknown>>, indent: string): string {
  const { properties, required, additionalProperties } = schema;
  const fields = Object.entries(isRecord(properties) ? properties : {});
  if (fields.length === 0)
    return additionalProperties === false
      ? "{ readonly [key: string]: never }"
      : `{ readonly [key: string]: ${typeOf(additionalProperties, indent)} }`;
  const needed = new Set(Array.isArray(required) ? required : []);
  const inner = `${indent}  `;
  const lines = fields.map(([name, field]) => {
    const about =
      isRecord(field) && typeof field.description === "string" ? comment(field.description, inner) : "";
    const isOptional = !needed.has(name);
    const type = typeOf(field, inner);
    return `${about}${inner}readonly ${keyOf(name)}${isOptional ? "?" : ""}: ${type}${isOptional ? " | undefined" : ""};\n`;
  });
  return `{\n${lines.join("")}${indent}}`;
}

function comment(text: string, indent: string): string {
  return `${indent}/** ${text.replaceAll("*/", "*\\/").replace(/\s+/g, " ").trim()} */\n`;
}

function keyOf(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

if (import.meta.main) writeFileSync(dialectInputsPath, await dialectInputs());
