import { counted } from "../../lib/counted.ts";
import type { DataOf } from "../rename.ts";

/** Which lines of how many were read, and what to give to read on; nothing when the file ends there. */
export function howToReadOn(
  { files: [file] }: DataOf<"file.read">,
  wayOn: (nextLine: number) => string,
): { readonly continuation?: string } {
  if (file?.kind !== "text" || (file.nextOffset ?? file.cutBytes) === undefined) return {};
  const { firstLine, lines, totalLines, nextOffset } = file;
  const range = lines === 1 ? `Line ${firstLine}` : `Lines ${firstLine}-${firstLine + lines - 1}`;
  const of = totalLines === undefined ? "" : ` of ${totalLines}`;
  const cut = file.cutBytes === undefined ? "" : `, which goes on for ${counted(file.cutBytes, "byte")}`;
  const way = nextOffset === undefined ? "" : ` To read on give ${wayOn(nextOffset)}.`;
  return { continuation: `${range}${of}${cut}.${way}` };
}
