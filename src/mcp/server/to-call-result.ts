import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/server";
import { isRecord } from "../../lib/is-record.ts";
import type { CallResult } from "../../toolcrib/index.ts";
import type { ClientAbilities } from "./client-abilities.ts";
import { outputUri } from "./outputs.ts";

/** What is said of a call in the words of MCP. */
export function toCallResult(
  { content, isError, data, images, output }: CallResult,
  { isStructured, knowsLinks }: Pick<ClientAbilities, "knowsLinks"> & { readonly isStructured: boolean },
): CallToolResult {
  const blocks: ContentBlock[] = images.map(({ mediaType, base64 }) => ({
    type: "image",
    data: base64,
    mimeType: mediaType,
  }));
  if (content !== "" || blocks.length === 0) blocks.unshift({ type: "text", text: content });
  if (output !== null && knowsLinks) {
    blocks.push({
      type: "resource_link",
      uri: outputUri(output),
      name: output,
      mimeType: "text/plain",
      description: "The whole output",
    });
  }
  return {
    content: blocks,
    ...(isStructured && isRecord(data) && knowsLinks ? { structuredContent: data } : {}),
    ...(isError ? { isError } : {}),
  };
}
