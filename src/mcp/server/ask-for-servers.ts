import type { ElicitRequestFormParams, Server } from "@modelcontextprotocol/server";
import { isRecord } from "../../lib/json/is-record.ts";
import { cleanLine, cleanText } from "../hub/clean-text.ts";
import type { Elicit, ElicitAnswer } from "../types.ts";
import { abilitiesOf } from "./call-tool.ts";

/**
 * Asks the question of another server through a client of the 2025 era, under the name of that server. Clients of the
 * later era take questions only as results of their own calls.
 */
export async function passOnQuestion(
  { server: name, message, params, signal }: Parameters<Elicit>[0],
  server: Server | undefined,
): Promise<ElicitAnswer> {
  const schema = params.requestedSchema;
  const isShort = schema !== undefined && JSON.stringify(schema).length <= maxSchemaChars;
  if (server === undefined || !isShort || hasUnclearNames(schema) || !abilitiesOf(server).asks)
    return { action: "cancel" };
  const form = {
    mode: "form" as const,
    // Further lines are indented, so that they cannot look like a question of Toolcrib.
    message: `The MCP server ${name} asks: ${message.replaceAll("\n", "\n    ")}\n${warning}`,
    requestedSchema: cleanTexts(schema) as ElicitRequestFormParams["requestedSchema"],
  };
  const { action, content } = await server.elicitInput(form, { timeout: patienceMs, signal });
  return { action, ...(content && { content }) };
}

const warning = "That server gets your answer. Do not enter passwords or keys.";
const maxSchemaChars = 20_000;
const patienceMs = 600_000;

/** Whether a field or keyword has a name with characters that clients do not show. Answers repeat the names of fields. */
function hasUnclearNames(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([name, part]) => cleanLine(name, 200) !== name || hasUnclearNames(part));
}

/** Removes control characters from all texts. */
function cleanTexts(value: unknown): unknown {
  if (typeof value === "string") return cleanText(value, 2_000);
  if (Array.isArray(value)) return value.map(cleanTexts);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, cleanTexts(part)]));
}
