import type { ElicitRequestFormParams, Server } from "@modelcontextprotocol/server";
import { cleanSchema, formWarning } from "../hub/clean-text.ts";
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
  const schema = cleanSchema(params.requestedSchema);
  if (server === undefined || schema === undefined || !abilitiesOf(server).asks) return { action: "cancel" };
  const form = {
    mode: "form" as const,
    // Further lines are indented, so that they cannot look like a question of Toolcrib.
    message: `The MCP server ${name} asks: ${message.replaceAll("\n", "\n    ")}\n${formWarning}`,
    requestedSchema: schema as ElicitRequestFormParams["requestedSchema"],
  };
  const { action, content } = await server.elicitInput(form, { timeout: patienceMs, signal });
  return { action, ...(content && { content }) };
}

const patienceMs = 600_000;
