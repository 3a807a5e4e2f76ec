import {
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type Resource,
} from "@modelcontextprotocol/server";
import { ToolError } from "../../toolcrib/index.ts";
import type { ServedToolcrib } from "./served-toolcrib.ts";

/** Returns the address of a stored output as a resource: `toolcrib://output/out_…?offset=BYTES`. */
export function outputUri(handle: string, offset = 0): string {
  return `toolcrib://output/${handle}${offset === 0 ? "" : `?offset=${offset}`}`;
}

export const outputTemplate = {
  uriTemplate: "toolcrib://output/{handle}{?offset}",
  name: "output",
  title: "Stored output",
  description: "The output of a handle out_…, from a byte offset.",
  mimeType: "text/plain",
};

export function listOutputs({ outputs }: ServedToolcrib): Resource[] {
  return outputs.map((handle) => ({ uri: outputUri(handle), name: handle, mimeType: "text/plain" }));
}

/** Reads a part of an output. When there is more, a second content says how to continue. */
export async function readOutput(served: ServedToolcrib, uri: string): Promise<ReadResourceResult> {
  const match = uriPattern.exec(uri);
  if (match === null) throw noSuchResource(uri, "its address is not of the form toolcrib://output/out_…");
  const [, handle = "", offset = "0"] = match;
  const crib = await served.crib();
  try {
    const { text, next, bytes } = await crib.readOutput(handle, { offset: Number(offset), maxBytes });
    const contents = [{ uri, mimeType: "text/plain", text }];
    if (next !== undefined)
      contents.push({
        uri: outputUri(handle, next),
        mimeType: "text/plain",
        text: `[${bytes - next} more bytes follow: read ${outputUri(handle, next)}]`,
      });
    return { contents };
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    throw noSuchResource(uri, error.message);
  }
}

const uriPattern = /^toolcrib:\/\/output\/(out_[a-z0-9]+)(?:\?offset=(\d{1,12}))?$/;

/** Clients accept at least this much in one response. */
const maxBytes = 60_000;

export function noSuchResource(uri: string, reason: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `Resource not found: ${reason}`, { uri });
}
