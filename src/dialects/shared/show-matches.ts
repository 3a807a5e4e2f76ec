import type { ToolOutput } from "../../contract/tool.ts";
import { counted } from "../../lib/counted.ts";
import type { DataOf } from "../rename.ts";

/** Lines that match, then how many there are; `wayOut` says what can be done where there are more. */
export function showMatches(
  { data, text }: ToolOutput<DataOf<"search.grep">>,
  { wayOut }: { readonly wayOut: string },
): { readonly text: string; readonly continuation?: string } {
  const { matches, files, limited, binary } = data;
  const [, ...remarks] = text.split("\n");
  // What we say of searching otherwise names fields that these dialects do not have.
  if (files.length === 0 && binary === undefined)
    return { text: ["No line matches.", ...remarks].join("\n") };
  if (binary !== undefined) return { text };
  const count = `[${counted(matches.length, "match", "matches")} in ${counted(files.length, "file")}]`;
  return {
    text: `${text}\n${count}`,
    ...(limited ? { continuation: `There are more: ${wayOut}.` } : {}),
  };
}
