import { pathToFileURL } from "node:url";
import {
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type Resource,
} from "@modelcontextprotocol/server";
import { packageFile, readPackageFile } from "../../system/package-file.ts";
import type { CallResult, Toolcrib, ToolDefinition } from "../../toolcrib/index.ts";

/** The extension of the protocol by which clients show views. */
export const appExtension = "io.modelcontextprotocol/ui";

/** The view of a call that changes files. It shows and never answers (docs/decisions/0056-app-shows.md). */
export const changesApp: Resource = {
  uri: "ui://toolcrib/changes",
  name: "changes",
  title: "Changes of a call",
  mimeType: "text/html;profile=mcp-app",
};

/** Returns whether a client declares that it shows such views. */
export function showsApps(extensions: Readonly<Record<string, unknown>> | undefined): boolean {
  const { mimeTypes } = (extensions?.[appExtension] ?? {}) as { readonly mimeTypes?: unknown };
  return Array.isArray(mimeTypes) && mimeTypes.includes(changesApp.mimeType);
}

/** Returns the metadata of a tool whose calls the view shows; undefined for other tools. */
export function appMetaOf({ canonical, effects }: Pick<ToolDefinition, "canonical" | "effects">) {
  if (effects.readOnly || !/^(?:code|edit|file|notebook)\./.test(canonical)) return undefined;
  return { ui: { resourceUri: changesApp.uri, visibility: ["model"] } };
}

/** Reads the view. It loads nothing, so it needs no domain. */
export async function readChangesApp(): Promise<ReadResourceResult> {
  const file = packageFile(import.meta.url, {
    source: "../../../dist/console/changes.html",
    built: "console/changes.html",
  });
  const { uri, mimeType } = changesApp;
  const bytes = await readPackageFile(pathToFileURL(file)).catch(() => {
    throw new ProtocolError(ProtocolErrorCode.InternalError, "The view is not built. Run: npm run build");
  });
  const text = new TextDecoder().decode(bytes);
  return { contents: [{ uri, mimeType, text, _meta: { ui: { prefersBorder: true } } }] };
}

/** Returns the changes of a call as a unified diff, as tools may read it; undefined without changes. */
export async function diffOf(crib: Toolcrib, { callId, error }: CallResult): Promise<string | undefined> {
  if (error !== null || callId === "") return undefined;
  const { data } = await crib.diff({ call: callId });
  const files = data?.files ?? [];
  const diff = files.map((file) => file.diff).join("");
  return files.length === 0 || diff.length > maxChars ? undefined : diff;
}

const maxChars = 200_000;
