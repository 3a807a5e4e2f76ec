import { counted } from "../../lib/counted.ts";
import { showPath } from "../../lib/show-path.ts";
import type { DataOf } from "../rename.ts";

/** Names one a line, `/` after those of folders. */
export function showEntries({ entries = [], beyondLimit }: DataOf<"file.list">["root"]): {
  readonly text: string;
  readonly continuation?: string;
} {
  if (entries.length === 0) return { text: "[The directory is empty.]" };
  const text = entries
    .map(({ kind, name }) => `${showPath(name)}${kind === "directory" ? "/" : ""}`)
    .join("\n");
  if (beyondLimit === 0) return { text };
  return {
    text,
    continuation: `${counted(beyondLimit, "more name")}: list a folder of it, or find files by name.`,
  };
}
