import { ToolError } from "../../contract/error.ts";
import { type JsonNode, memberOf, scanJson } from "./scan-json.ts";
import { tryParseJson } from "./try-parse-json.ts";

/** Parses a JSON file of the user. Throws `invalid-input` with the line, without the text, which may hold a secret. */
export function parseJsonFile(text: string, file: string, hint?: string): unknown {
  const value = tryParseJson(text);
  if (value !== undefined) return value;
  throw new ToolError("invalid-input", faultIn(text, file), hint === undefined ? {} : { hint });
}

function faultIn(text: string, file: string): string {
  try {
    scanJson(text, file);
  } catch (error) {
    if (error instanceof ToolError) return error.message;
    throw error;
  }
  return `${file} is not valid JSON`;
}

/** Returns the line of a value in a valid JSON text, or of the nearest value around it. Counts from 1. */
export function lineInJson(text: string, path: readonly PropertyKey[]): number {
  let node: JsonNode | undefined = scanJson(text, "the file");
  let { start } = node;
  for (const step of path) {
    if (node?.kind === "array") {
      node = node.items[Number(step)];
      start = node?.start ?? start;
    } else {
      const member = memberOf(node, String(step));
      node = member?.value;
      start = member?.start ?? start;
    }
    if (node === undefined) break;
  }
  return text.slice(0, start).split("\n").length;
}
