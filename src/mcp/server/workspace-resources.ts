import {
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type Resource,
  type ResourceTemplateType,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { Caller, CallResult } from "../../toolcrib/index.ts";
import { isReadOnly } from "./call-tool.ts";
import type { ServedToolcrib } from "./served-toolcrib.ts";

/** Reads the changes of the session or a file of the workspace, by calls; undefined for other resources. */
export async function readOfWorkspace(
  served: ServedToolcrib,
  uri: string,
  context: ServerContext,
): Promise<ReadResourceResult | undefined> {
  const { workspace } = await served.crib();
  const caller = await served.caller({ readOnly: isReadOnly(context) });
  const { signal } = context.mcpReq;
  return served.busy(
    async () => (await readChanges(caller, uri, signal)) ?? (await readFile(caller, uri, workspace, signal)),
  );
}

export const changes: Resource = {
  uri: "toolcrib://changes",
  name: "changes",
  title: "Changes of this session",
  description: "The changes of files that calls of this session made, as a diff.",
  mimeType: "text/plain",
};

async function readChanges(
  caller: Caller,
  uri: string,
  signal: AbortSignal,
): Promise<ReadResourceResult | undefined> {
  if (uri !== changes.uri) return undefined;
  return toContents(uri, await caller.call("journal.diff", {}, { signal }));
}

/** Returns the template of the workspace's files, whose variable is a path in the workspace. */
export function fileTemplate(workspace: string): ResourceTemplateType {
  return {
    uriTemplate: `${folderUri(workspace)}{+path}`,
    name: "file",
    title: "File of the workspace",
    description: "A file of the workspace, read as file.read reads it, within your rules.",
  };
}

/** Reads a file through the pipeline, like a call of the model. */
async function readFile(
  caller: Caller,
  uri: string,
  workspace: string,
  signal: AbortSignal,
): Promise<ReadResourceResult | undefined> {
  const folder = folderUri(workspace);
  if (!uri.startsWith(folder) || uri.length === folder.length) return undefined;
  let path: string;
  try {
    path = decodeURIComponent(uri.slice(folder.length));
  } catch {
    return undefined;
  }
  return toContents(uri, await caller.call("file.read", { path, line_numbers: false }, { signal }));
}

function folderUri(workspace: string): string {
  return `file://${workspace.split("/").map(encodeURIComponent).join("/")}/`;
}

function toContents(uri: string, { content, error, images }: CallResult): ReadResourceResult {
  if (error !== null) throw noSuchResource(uri, [error.message, error.hint].filter(Boolean).join(". "));
  if (images.length === 0) return { contents: [{ uri, mimeType: "text/plain", text: content }] };
  return { contents: images.map(({ mediaType, base64 }) => ({ uri, mimeType: mediaType, blob: base64 })) };
}

function noSuchResource(uri: string, reason: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `Resource not found: ${reason}`, { uri });
}
