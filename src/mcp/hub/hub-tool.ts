import type { Risk } from "../../contract/access.ts";
import type { AnyTool, ToolHints } from "../../contract/tool.ts";
import { isRecord } from "../../lib/is-record.ts";
import { prettyJson } from "../../lib/pretty-json.ts";
import type { HubServer } from "./hub-server.ts";
import type { ListedTool } from "./listed-tool.ts";
import { inputOf, withoutNulls } from "./schema/input-of.ts";
import { repairSchema } from "./schema/repair-schema.ts";
import { showResult } from "./show-result.ts";
import { cleanLine, cleanWords } from "./words/clean-words.ts";

/** A tool of another server, all but its names. Throws where providers could not be told of it. */
export type NamelessTool = Omit<AnyTool, "name" | "canonical">;

export function hubTool(listed: ListedTool, server: HubServer): NamelessTool {
  const { settings } = server;
  const annotations = isRecord(listed.annotations) ? listed.annotations : {};
  const risk = riskOf(annotations, settings);
  const schema = repairSchema(listed.inputSchema);
  const own = `${cleanLine(listed.name, 100)} of the MCP server ${settings.name}`;
  return {
    server: settings.name,
    ownName: listed.name,
    summary: cleanWords(listed.description, maxSummary) || cleanLine(listed.title, 200) || own,
    risk,
    hints: hintsOf(listed, annotations, settings.trustsAnnotations),
    input: inputOf(schema),
    limits: { maxChars: 30_000, keep: "both" },
    timeoutMs: settings.timeoutMs,
    // What it touches only its server knows: rules judge its use.
    accesses: () => [],
    preview: async (input) => `Calls ${own} with:\n${shown(input)}`,
    run: async (input, context) => {
      if (risk !== "read") context.uncovered(`what ${own} has done`);
      return showResult(await server.call(listed, withoutNulls(input, schema), context));
    },
  };
}

const maxSummary = 2_000;

/** What a server says of itself only makes it stricter, unless the person trusts it. */
function riskOf(
  { readOnlyHint, destructiveHint }: Record<string, unknown>,
  { trustsAnnotations, reach }: HubServer["settings"],
): Risk {
  if (trustsAnnotations && readOnlyHint === true) return "read";
  if (destructiveHint === true && readOnlyHint !== true) return "destructive";
  return reach.kind === "http" ? "network" : "execute";
}

function hintsOf(
  { title }: ListedTool,
  { title: other, readOnlyHint, idempotentHint, openWorldHint }: Record<string, unknown>,
  isTrusted: boolean,
): ToolHints {
  const words = cleanLine(title ?? other, 100);
  return {
    ...(words !== "" && { title: words }),
    ...(isTrusted && readOnlyHint === true && { readOnly: true }),
    ...(isTrusted && idempotentHint === true && { idempotent: true }),
    openWorld: !(isTrusted && openWorldHint === false),
  };
}

function shown(input: unknown): string {
  const text = JSON.stringify(input) ?? "nothing";
  return prettyJson(text) ?? text;
}
