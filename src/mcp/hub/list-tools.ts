import type { Client } from "@modelcontextprotocol/client";
import * as z from "zod/mini";
import { counted } from "../../text/counted.ts";
import type { ListedTool } from "./listed-tool.ts";
import { isRecord } from "./schema/legal-types.ts";
import { cleanLine } from "./words/clean-words.ts";

const maxPages = 64;
const maxTools = 1_000;
const maxNameChars = 256;
const maxProblems = 20;

/** All tools of a server, page by page. One that is not as it should be costs none of the others. */
export async function listTools(
  client: Client,
  signal: AbortSignal,
): Promise<{ readonly tools: readonly ListedTool[]; readonly problems: readonly string[] }> {
  if (client.getServerCapabilities()?.tools === undefined) return { tools: [], problems: [] };
  const tools = new Map<string, ListedTool>();
  const problems = new Set<string>();
  const cursors = new Set<string>();
  let cursor: string | undefined;
  for (let pages = 0; ; pages += 1) {
    const page = await readPage(client, cursor, signal);
    for (const tool of page.tools) take(tool, tools, problems);
    if (typeof page.nextCursor !== "string") break;
    if (cursors.has(page.nextCursor) || pages + 1 >= maxPages || tools.size >= maxTools) {
      problems.add(`its list of tools does not end, and was left after ${counted(tools.size, "tool")}`);
      break;
    }
    cursor = page.nextCursor;
    cursors.add(cursor);
  }
  if (tools.size > maxTools)
    problems.add(`of its ${counted(tools.size, "tool")} only the first ${maxTools} are taken`);
  return {
    tools: [...tools.values()].slice(0, maxTools),
    problems: [...problems].slice(0, maxProblems),
  };
}

async function readPage(client: Client, cursor: string | undefined, signal: AbortSignal) {
  const options = { signal, timeout: longest };
  if (client.getProtocolEra() === "modern") {
    // Leaves out tools whose headers are not valid, as the protocol demands. It refuses more than that, and so is only tried.
    const page = await client
      .listTools(cursor === undefined ? undefined : { cursor }, options)
      .catch(() => undefined);
    if (page !== undefined) return page;
  }
  const request = { method: "tools/list", ...(cursor !== undefined && { params: { cursor } }) } as const;
  return client.request(request, anyPage, options);
}

/** The signal ends it. */
export const longest: number = 2 ** 31 - 1;

// The protocol's own schema would refuse the whole page because of one tool.
const anyPage = z.looseObject({
  tools: z._default(z.array(z.unknown()), []),
  nextCursor: z.optional(z.unknown()),
});

function take(given: unknown, tools: Map<string, ListedTool>, problems: Set<string>): void {
  if (!isRecord(given) || typeof given.name !== "string" || given.name.trim() === "")
    problems.add("a tool without a name is left out");
  else if (given.name.length > maxNameChars)
    problems.add(`a tool whose name has ${given.name.length} characters is left out`);
  else if (tools.has(given.name))
    problems.add(`it tells of ${JSON.stringify(cleanLine(given.name, 80))} twice: the first counts`);
  else tools.set(given.name, given as unknown as ListedTool);
}
