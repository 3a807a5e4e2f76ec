import { ToolError } from "../../contract/error.ts";
import type { DialectTool } from "../../dialects/dialect.ts";
import { isFlag } from "./parse-arguments.ts";

/** The input of a call from the words after the tool's name: one JSON text, `-` for standard input, or `--key value`. */
export async function readInput(tool: DialectTool, words: readonly string[]): Promise<unknown> {
  const [first, ...rest] = words;
  if (first === undefined) return {};
  if (rest.length === 0 && first === "-") return parseJson(await readStandardInput(), "The standard input");
  if (rest.length === 0 && !isFlag(first)) return parseJson(first, "The argument");
  const { readFields } = await import("./tool-fields.ts");
  const { fieldSchemasOf } = await import("./field-schemas.ts");
  return readFields(tool.canonical, words, fieldSchemasOf(await tool.load()));
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
