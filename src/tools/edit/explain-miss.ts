import { reworded, ToolError } from "../../contract/error.ts";
import type { PreviewContext } from "../../contract/tool.ts";
import { driftSince } from "./drift.ts";

/** What does not fit the file may have fitted it as its caller last saw it. */
export async function explainMiss(
  error: unknown,
  { path, bytes }: { readonly path: string; readonly bytes: Uint8Array },
  context: PreviewContext,
): Promise<unknown> {
  if (!(error instanceof ToolError) || !misses.has(error.code)) return error;
  const drift = await driftSince(path, bytes, context);
  if (!drift) return error;
  return reworded(error, {
    message: `${error.message}\n${path} has changed since you last saw it, at ${drift.at}:\n${drift.diff}`,
  });
}

const misses: ReadonlySet<string> = new Set(["no-match", "ambiguous-match", "stale"]);
