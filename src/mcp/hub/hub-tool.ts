import type { Client, Progress } from "@modelcontextprotocol/client";
import * as z from "zod/mini";
import type { ToolRisk } from "../../contract/access.ts";
import { ToolError } from "../../contract/error.ts";
import type { AnyTool, ToolContext, ToolHints } from "../../contract/tool.ts";
import { monotonicMs } from "../../lib/clock.ts";
import { isRecord } from "../../lib/json/is-record.ts";
import { prettyJson } from "../../lib/json/pretty-json.ts";
import type { ListedTool } from "../types.ts";
import { cleanLine, cleanText } from "./clean-text.ts";
import type { HubServer } from "./hub-server.ts";
import { longest } from "./list-tools.ts";
import { requestNames } from "./offers/offer-names.ts";
import { inputOf, withoutNulls } from "./schema/input-of.ts";
import { repairSchema } from "./schema/repair-schema.ts";
import { type GivenResult, showResult } from "./show-result.ts";
import { definitionOf } from "./tool-definition.ts";

/** A tool of another server, before it has a name that is unique in the hub. */
export type NamelessTool = Omit<AnyTool, "name" | "canonical">;

/** Makes a tool of another server callable. Throws when providers would refuse it. */
export function hubTool(listed: ListedTool, server: HubServer): NamelessTool {
  const { settings } = server;
  const annotations = isRecord(listed.annotations) ? listed.annotations : {};
  const risk = riskOf(annotations, settings);
  const schema = repairSchema(listed.inputSchema);
  if ((requestNames as readonly string[]).includes(listed.name))
    throw new ToolError("unsupported", "rules use its name for requests of the protocol");
  const own = `${cleanLine(listed.name, 100)} of the MCP server ${settings.name}`;
  return {
    server: settings.name,
    ownName: listed.name,
    definedAs: definitionOf(listed),
    description: cleanText(listed.description, maxSummary) || cleanLine(listed.title, 200) || own,
    risk,
    hints: hintsOf(listed, annotations, settings.trustsAnnotations),
    input: inputOf(schema),
    limits: { maxChars: 30_000, keep: "both" },
    timeoutMs: settings.timeoutMs,
    // Only the server knows what the tool accesses, so rules decide by its name.
    accesses: () => [],
    preview: async (input) => `Calls ${own} with:\n${prettyJson(JSON.stringify(input))}`,
    run: async (input, context) => {
      if (risk !== "read") context.uncovered(`what ${own} has done`);
      return showResult(await server.call(listed, withoutNulls(input, schema), context), settings.name);
    },
  };
}

const maxSummary = 2_000;

/** A server's annotations can only raise the risk, unless the user trusts them. */
export function riskOf(
  { readOnlyHint, destructiveHint }: Record<string, unknown>,
  { trustsAnnotations, transport }: HubServer["settings"],
): ToolRisk {
  if (trustsAnnotations && readOnlyHint === true) return "read";
  if (destructiveHint === true && readOnlyHint !== true) return "destructive";
  return transport.kind === "http" ? "network" : "execute";
}

function hintsOf(
  { title }: ListedTool,
  { title: other, readOnlyHint, idempotentHint, openWorldHint }: Record<string, unknown>,
  isTrusted: boolean,
): ToolHints {
  return {
    title: cleanLine(title ?? other, 100) || undefined,
    readOnly: (isTrusted && readOnlyHint === true) || undefined,
    idempotent: (isTrusted && idempotentHint === true) || undefined,
    openWorld: !(isTrusted && openWorldHint === false),
  };
}

/** Calls a tool of a server. Does not validate the result, because the SDK would refuse all of it for one bad part. */
export async function callTool(
  client: Client,
  { name, inputSchema }: ListedTool,
  input: Record<string, unknown>,
  { signal, progress }: Pick<ToolContext, "signal" | "progress">,
): Promise<GivenResult> {
  const params = { name, arguments: input };
  const options = { signal, timeout: longest, onprogress: seldom(progress) };
  if (client.getProtocolEra() !== "modern")
    return client.request({ method: "tools/call", params }, anyResult, options);
  // The SDK also sends arguments as headers when the tool's schema asks for that.
  const toolDefinition = { name, inputSchema: inputSchema as { type: "object" } };
  return client.callTool(params, { ...options, toolDefinition });
}

export const anyResult = z.looseObject({
  content: z.optional(z.unknown()),
  structuredContent: z.optional(z.unknown()),
  isError: z.optional(z.unknown()),
});

const seldomMs = 100;

/** Limits how often progress is reported. */
function seldom(report: (message: string) => void): (progress: Progress) => void {
  let reportedAt = Number.NEGATIVE_INFINITY;
  return ({ progress, total, message }) => {
    const now = monotonicMs();
    if (now - reportedAt < seldomMs) return;
    reportedAt = now;
    const figures = total === undefined ? `${progress}` : `${progress} of ${total}`;
    report(cleanLine(message, 200) || figures);
  };
}
