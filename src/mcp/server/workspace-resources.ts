import type {
  ReadResourceResult,
  Resource,
  ResourceTemplateType,
  ServerContext,
} from "@modelcontextprotocol/server";
import type { CallResult } from "../../toolcrib/index.ts";
import { isReadOnly } from "./call-tool.ts";
import { noSuchResource } from "./outputs.ts";
import type { ServedToolcrib } from "./served-toolcrib.ts";

/** Reads the changes of the session or a file of the workspace, by a call like those of the model; undefined for other resources. */
export async function readOfWorkspace(
  served: ServedToolcrib,
  uri: string,
  context: ServerContext,
): Promise<ReadResourceResult | undefined> {
  const call = callFor(uri, (await served.crib()).workspace);
  if (call === undefined) return undefined;
  const caller = await served.caller({ readOnly: isReadOnly(context) });
  const { signal } = context.mcpReq;
  return toContents(uri, await served.busy(() => caller.call(...call, { signal })));
}

export const changes: Resource = {
  uri: "toolcrib://changes",
  name: "changes",
  title: "Changes of this session",
  description: "The changes of files that calls of this session made, as a diff.",
  mimeType: "text/plain",
};

/** Returns the template of the workspace's files, whose variable is a path in the workspace. */
export function fileTemplate(workspace: string): ResourceTemplateType {
  return {
    uriTemplate: `file://${workspace.split("/").map(encodeURIComponent).join("/")}/{+path}`,
    name: "file",
    title: "File of the workspace",
    description: "A file of the workspace, read as file.read reads it, within your rules.",
  };
}

function callFor(uri: string, workspace: string): readonly [tool: string, input: object] | undefined {
  if (uri === changes.uri) return ["journal.diff", {}];
  const path = pathIn(workspace, uri);
  return path === undefined ? undefined : ["file.read", { path, line_numbers: false }];
}

/** Returns the path of a `file:` address, relative to the workspace. Clients encode different characters. */
function pathIn(workspace: string, uri: string): string | undefined {
  if (!uri.startsWith("file:///")) return undefined;
  try {
    const path = decodeURIComponent(uri.slice("file://".length));
    return path.startsWith(`${workspace}/`) ? path.slice(workspace.length + 1) || undefined : undefined;
  } catch {
    return undefined;
  }
}

function toContents(uri: string, { content, error, images }: CallResult): ReadResourceResult {
  if (error !== null) throw noSuchResource(uri, [error.message, error.hint].filter(Boolean).join(". "));
  if (images.length === 0) return { contents: [{ uri, mimeType: "text/plain", text: content }] };
  return { contents: images.map(({ mediaType, base64 }) => ({ uri, mimeType: mediaType, blob: base64 })) };
}
