import type { ToolContext } from "../../contract/tool.ts";
import type { GrepRequest } from "./grep-request.ts";
import type { GrepResults } from "./grep-results.ts";
import { runRipgrep } from "./run-ripgrep.ts";
import { scanLargeFile } from "./scan-large-file.ts";

/** Searches one large text file of the workspace: with ripgrep, which is quickest with a file by itself, or without. */
export async function searchLargeFile(
  path: string,
  request: GrepRequest,
  results: GrepResults,
  context: ToolContext,
): Promise<void> {
  const scope = { kind: "file", path, bytes: 0, isOutput: false } as const;
  if (await runRipgrep(scope, request, results, context, { searchesAgain: true })) return;
  await scanLargeFile(path, request, results, context);
}
