import { ToolError } from "../contract/error.ts";
import type { DialectTool } from "../dialects/dialect.ts";
import { isFlag } from "./parse-arguments.ts";

/**
 * The input of a call from the words after the tool's name: one JSON text, `--key value`, or `-` for standard input,
 * where a tool that takes nothing but a text may be given that text as it is.
 */
export async function readInput(tool: DialectTool, words: readonly string[]): Promise<unknown> {
  const [first, ...rest] = words;
  if (first === undefined) return {};
  if (rest.length === 0 && first === "-") return readText(await readStandardInput(), tool);
  if (rest.length === 0 && !isFlag(first)) return parseJson(first, "The argument", tool);
  const { readFields } = await import("./tool-fields.ts");
  const { fieldSchemasOf } = await import("./tool-fields.ts");
  return readFields(tool.canonical, words, fieldSchemasOf(await tool.load()));
}

async function readText(text: string, tool: DialectTool): Promise<unknown> {
  const field = /^\s*\{/.test(text) ? undefined : await onlyText(tool);
  return field === undefined ? parseJson(text, "The standard input", tool) : { [field]: text };
}

/** The field of a tool that takes a text and, but for rare needs, nothing else. */
async function onlyText(tool: DialectTool): Promise<string | undefined> {
  const { fieldSchemasOf } = await import("./tool-fields.ts");
  const offered = await tool.load();
  const told = Object.entries(fieldSchemasOf(offered)).filter(
    ([name]) => !offered.hiddenFields?.includes(name),
  );
  const [[field, schema] = [], ...others] = told;
  return others.length === 0 && schema?.types.join() === "string" ? field : undefined;
}

function parseJson(text: string, source: string, { canonical }: DialectTool): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ToolError("invalid-input", `${source} is not JSON: ${(cause as Error).message}`, {
      hint: `Write one object in single quotes, '{"key": "value"}', or --key value: toolcrib call ${canonical} --help.`,
      cause,
    });
  }
}

/** All of it, which must be UTF-8. */
export async function readStandardInput(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  try {
    // Leaves out the byte-order mark that some shells put in front.
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
  } catch (cause) {
    // What cannot be read would otherwise be written into files as U+FFFD.
    throw new ToolError("invalid-input", "The standard input is not UTF-8", {
      hint: "Convert it first, for example with iconv -f latin1 -t utf-8.",
      cause,
    });
  }
}
