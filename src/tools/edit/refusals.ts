import { type ErrorCode, ToolError } from "../../contract/error.ts";
import type { PreviewContext } from "../../contract/tool.ts";
import { contentHash } from "../../lib/content-hash.ts";
import { detectEncoding, detectionBytes } from "../../lib/encoding.ts";
import { sniffMediaType } from "../../lib/media-type.ts";
import { type Drift, driftSince } from "./drift.ts";
import type { NamedFiles } from "./named-files.ts";

/** The engine knows the text of a file; here is added what else is known of it: others' changes, its kind, its neighbours. */
export async function explainRefusal(
  error: ToolError,
  files: NamedFiles,
  context: PreviewContext,
): Promise<ToolError> {
  const explained = await explainFile(error, files, context);
  if (!files.areSeveral) return explained;
  // Others apply patches file by file, so it has to be said.
  const { code, message, hint = "" } = explained;
  return new ToolError(code, message, {
    hint: `${hint} None of the files was changed.`.trim(),
    cause: error,
  });
}

async function explainFile(error: ToolError, files: NamedFiles, context: PreviewContext): Promise<ToolError> {
  const path = files.subjectOf(error.message);
  if (path === undefined) return error;
  if (error.code === "not-found") return files.missing(path) ?? error;
  const bytes = misses.has(error.code) ? files.at(path) : undefined;
  if (bytes === undefined) return error;
  if (isBinary(bytes)) return notInBinary(path);
  const drift = await driftSince(path, bytes, context);
  if (drift === undefined) return error;
  return stale(path, error.message, drift, error.code === "ambiguous-match" ? error.hint : undefined);
}

/** Refuses a file that does not hold what the caller expects, told by the first digits of its hash. */
export async function refuseOtherHash(
  path: string,
  expected: string,
  files: NamedFiles,
  context: PreviewContext,
): Promise<void> {
  const bytes = files.at(path);
  if (bytes === undefined) throw files.missing(path);
  const hash = contentHash(bytes);
  if (hash.startsWith(expected.toLowerCase())) return;
  const message = `${path} does not have the expected hash ${expected}, but ${hash}`;
  const drift = await driftSince(path, bytes, context);
  if (drift) throw stale(path, message, drift);
  throw new ToolError("stale", message, {
    hint: "Nothing was written. Read the file again, then edit it as it is now.",
  });
}

/** The edit does not fit the file, perhaps because the file has changed. */
const misses: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["no-match", "ambiguous-match"]);

function stale(
  path: string,
  reason: string,
  { at, diff }: Drift,
  wayOut = "Make the edit fit the file as it is now, and send it again.",
): ToolError {
  return new ToolError("stale", `${reason}\n${path} has changed since you last saw it, at ${at}:\n${diff}`, {
    hint: `Nothing was written. ${wayOut}`,
  });
}

function isBinary(bytes: Uint8Array): boolean {
  const head = bytes.subarray(0, detectionBytes);
  const encoding = detectEncoding(head, { complete: head.length === bytes.length });
  return encoding === "binary" || sniffMediaType(head) !== undefined;
}

function notInBinary(path: string): ToolError {
  return new ToolError("unsupported", `${path} is a binary file and does not hold the text just once`, {
    hint: "In a binary file only text that stands there byte by byte as given can be replaced.",
  });
}
