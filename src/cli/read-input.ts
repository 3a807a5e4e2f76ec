import { ToolError } from "../contract/error.ts";
import type { DialectTool } from "../dialects/dialect.ts";
import { isFlag } from "./parse-arguments.ts";

/**
 * Returns the input of a call from the words after the tool's name: one JSON object, the main argument and `--key value`,
 * or `-` for standard input. A tool whose only argument is a text also takes plain text from standard input.
 */
export async function readInput(tool: DialectTool, words: readonly string[]): Promise<unknown> {
  const [first, ...rest] = words;
  if (first === undefined) return {};
  if (rest.length === 0 && first === "-") return readText(await readStandardInput(), tool);
  const isAlone = rest.length === 0 && !isFlag(first);
  if (isAlone && /^\s*\{/.test(first)) return parseJson(first, "The argument", tool);
  const { fieldSchemasOf, mainFieldOf, readFields } = await import("./tool-fields.ts");
  const schemas = fieldSchemasOf(await tool.load());
  if (isAlone && mainFieldOf(schemas) === undefined) return parseJson(first, "The argument", tool);
  return readFields(tool.canonical, words, schemas);
}

async function readText(text: string, tool: DialectTool): Promise<unknown> {
  const field = /^\s*\{/.test(text) ? undefined : await onlyText(tool);
  return field === undefined ? parseJson(text, "Standard input", tool) : { [field]: text };
}

/** Returns the field of a tool whose only listed argument is a text. */
async function onlyText(tool: DialectTool): Promise<string | undefined> {
  const { fieldSchemasOf } = await import("./tool-fields.ts");
  const offered = await tool.load();
  const [[field, schema] = [], ...others] = Object.entries(fieldSchemasOf(offered)).filter(
    ([name]) => !offered.hiddenFields?.includes(name),
  );
  return others.length === 0 && schema?.types.join() === "string" ? field : undefined;
}

function parseJson(text: string, source: string, { canonical }: DialectTool): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ToolError("invalid-input", `${source} is not JSON: ${(cause as Error).message}`, {
      hint: `Write one object in single quotes, '{"key": "value"}', or flags: toolcrib call ${canonical} --help`,
      cause,
    });
  }
}

/** Reads standard input. Throws when it is not UTF-8, because invalid bytes would be written to files as U+FFFD. */
export async function readStandardInput(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  try {
    // The decoder removes the byte-order mark that some shells add.
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
  } catch (cause) {
    throw new ToolError("invalid-input", "Standard input is not UTF-8", {
      hint: "Convert it first, for example: iconv -f latin1 -t utf-8",
      cause,
    });
  }
}
