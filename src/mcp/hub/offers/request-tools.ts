import * as z from "zod/mini";
import type { AnyTool, Tool, ToolContext } from "../../../contract/tool.ts";
import { riskOf } from "../hub-tool.ts";
import type { ServerSettings } from "../settings/read-settings.ts";
import { showResult } from "../show-result.ts";
import { maxUriChars, type RequestName, requestTool } from "./offer-names.ts";
import { type PromptText, type ReadResource, readContents, readMessages } from "./read-contents.ts";

/** Sends a request to the server and returns its result, which is not validated. */
type Send = (
  request: RequestName,
  params: Readonly<Record<string, unknown>>,
  context: Pick<ToolContext, "signal" | "progress">,
) => Promise<unknown>;

/** Returns the tools that read a server's resources and get its prompts. Models are not offered them. */
export function requestTools(settings: ServerSettings, send: Send): readonly AnyTool[] {
  const { name: server, timeoutMs } = settings;
  const common = (request: RequestName) => ({
    name: requestTool(server, request),
    canonical: requestTool(server, request),
    server,
    ownName: request,
    risk: riskOf({ readOnlyHint: true }, settings),
    limits: { maxChars: 30_000, keep: "both" } as const,
    timeoutMs,
    accesses: () => [],
  });
  const readResource: Tool<z.infer<typeof resourceInput>, ReadResource> = {
    ...common("resources/read"),
    description: `Read a resource of the MCP server ${server}.`,
    input: resourceInput,
    preview: async ({ uri }) => `Reads ${uri} of the MCP server ${server}`,
    run: async ({ uri }, context) => {
      const data = readContents(await send("resources/read", { uri }, context), uri);
      const content = data.contents.map((resource) => ({ type: "resource", resource }));
      return { data, text: showResult({ content }, server).text };
    },
  };
  const getPrompt: Tool<z.infer<typeof promptInput>, PromptText> = {
    ...common("prompts/get"),
    description: `Get a prompt of the MCP server ${server}.`,
    input: promptInput,
    preview: async ({ name, arguments: given = {} }) =>
      `Gets the prompt ${name} of the MCP server ${server} with:\n${JSON.stringify(given, null, 2)}`,
    run: async (input, context) => {
      const data = readMessages(await send("prompts/get", input, context));
      const { text } = showResult({ content: data.messages.map(({ content }) => content) }, server);
      return { data, text };
    },
  };
  return [readResource, getPrompt];
}

const resourceInput = z.strictObject({ uri: z.string().check(z.minLength(1), z.maxLength(maxUriChars)) });
const promptInput = z.strictObject({
  name: z.string(),
  arguments: z.optional(z.record(z.string(), z.string().check(z.maxLength(100_000)))),
});
