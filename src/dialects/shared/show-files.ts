import { counted } from "../../lib/counted.ts";
import { showPath } from "../../lib/show-path.ts";
import type { DataOf } from "../rename.ts";

/** Files one a line, for dialects in which neither a limit nor hidden files can be asked for. */
export function showFiles(
  { files, total, limited }: DataOf<"search.glob">,
  pattern: string,
): { readonly text: string; readonly continuation?: string } {
  if (files.length === 0) return { text: `No file matches ${pattern}.` };
  const text = files.map(({ path }) => showPath(path)).join("\n");
  if (!limited) return { text };
  return { text, continuation: `${files.length} of ${counted(total, "file")} shown; narrow the pattern.` };
}
