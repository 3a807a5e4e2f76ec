import type { Outline } from "../../contract/code.ts";
import { ToolError } from "../../contract/error.ts";
import type { PreviewContext } from "../../contract/tool.ts";
import { type Source, sourcesOf } from "../../edit/source.ts";
import { encodingOf } from "../../lib/text/encoding.ts";

/** A code file with its current content. */
export interface CodeFile {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly source: Source;
  /** The text without its byte-order mark. */
  readonly text: string;
  readonly outline: Outline;
}

/** Reads a file in any encoding, with its outline. */
export async function readCode(
  path: string,
  context: PreviewContext,
  maxBytes: number = mostBytes,
): Promise<CodeFile> {
  const { code, signal } = context;
  const file = await readSource(path, context, maxBytes);
  return { ...file, outline: await code.outline({ path, text: file.text }, { signal }) };
}

/** Reads a file in any encoding. */
export async function readSource(
  path: string,
  { environment, signal }: Pick<PreviewContext, "environment" | "signal">,
  maxBytes: number = mostBytes,
): Promise<Omit<CodeFile, "outline">> {
  const { bytes } = await environment.readFile(path, { maxBytes, signal }).catch((error: unknown) => {
    throw asDirectory(path, error);
  });
  if (encodingOf(bytes) === "binary")
    throw new ToolError("unsupported", `${path} is a binary file, not source code`, {
      hint: "Give a source code file.",
    });
  const [source] = sourcesOf(path, bytes) as Generator<Source>;
  return { path, bytes, source: source!, text: source!.text.utf8.toString() };
}

const mostBytes = 32 * 1024 * 1024;

function asDirectory(path: string, error: unknown): unknown {
  if (!(error instanceof ToolError && error.details?.kind === "is-directory")) return error;
  return new ToolError("unsupported", `${path} is a directory, not a file`, {
    hint: "List its symbols with code.symbols, then give one of its files.",
  });
}
