import type { Client, Progress } from "@modelcontextprotocol/client";
import * as z from "zod/mini";
import type { ToolContext } from "../../contract/tool.ts";
import { monotonicMs } from "../../lib/clock.ts";
import { longest } from "./list-tools.ts";
import type { ListedTool } from "./listed-tool.ts";
import type { GivenResult } from "./show-result.ts";
import { cleanLine } from "./words/clean-words.ts";

/** One call of a server's tool. What it gives is taken as it comes: the protocol's schema refuses whole answers for a part. */
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
  // Mirrors arguments in headers, where the tool's schema asks for that.
  const toolDefinition = { name, inputSchema: inputSchema as { type: "object" } };
  return client.callTool(params, { ...options, toolDefinition });
}

const anyResult = z.looseObject({
  content: z.optional(z.unknown()),
  structuredContent: z.optional(z.unknown()),
  isError: z.optional(z.unknown()),
});

const seldomMs = 100;

/** However often a server tells how far it is. */
function seldom(tell: (message: string) => void): (progress: Progress) => void {
  let told = Number.NEGATIVE_INFINITY;
  return ({ progress, total, message }) => {
    const now = monotonicMs();
    if (now - told < seldomMs) return;
    told = now;
    const figures = total === undefined ? `${progress}` : `${progress} of ${total}`;
    tell(cleanLine(message, 200) || figures);
  };
}
