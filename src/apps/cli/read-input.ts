import { ToolError } from "../../contract/error.ts";
import type { DialectTool } from "../../dialects/dialect.ts";
import { isFlag } from "./parse-arguments.ts";

/**
 * The input of a call from the words after the tool's name: one JSON text, `--key value`, or `-` for standard input,
 * where a tool that takes nothing but a text may be given that text as it is.
 */
export async function readInput(tool: DialectTool, words: readonly string[]): Promise<unknown> {
  const [first, ...rest] = words;
  if (first === undefined) return {};
  if (rest.length === 0 && first === "-") return readText(await readStandardInput(), tool);
  if (rest.length === 0 && !isFlag(first)) return parseJson(first, "The argument");
  const { readFields } = await import("./tool-fields.ts");
  const { fieldSchemasOf } = await import("./field-schemas.ts");
  return readFields(tool.canonical, words, fieldSchemasOf(await tool.load()));
}

async function readText(text: string, tool: DialectTool): Promise<unknown> {
  const field = /^\s*\{/.test(text) ? undefined : await onlyText(tool);
  return field === undefined ? parseJson(text, "The standard input") : { [field]: text };
}

/** The field of a tool that takes a text and nothing else. */
async function onlyText(tool: DialectTool): Promise<string | undefined> {
  const { fieldSchemasOf } = await import("./field-schemas.ts");
  const [[field, schema] = [], ...others] = Object.entries(fieldSchemasOf(await tool.load()));
  return others.length === 0 && schema?.types.join() === "string" ? field : undefined;
}

function parseJson(text: string, source: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ToolError("invalid-input", `${source} is not JSON: ${(cause as Error).message}`, {
      hint: `Write one object in single quotes, '{"path": "README.md"}', or --path README.md.`,
      cause,
    });
  }
}

async function readStandardInput(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  // Leaves out the byte-order mark that some shells put in front.
  return new TextDecoder().decode(Buffer.concat(chunks));
}
