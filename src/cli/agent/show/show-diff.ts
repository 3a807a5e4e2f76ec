import { counted } from "../../../lib/counted.ts";
import { quoteText } from "../../approval/quote-text.ts";
import { colourDiffLine } from "../../approval/show-request.ts";

/** A diff for a person who watches: coloured, marked as words of others, and no longer than can be taken in. */
export function showDiff(
  diff: string,
  {
    columns,
    callId,
    whole,
  }: { readonly columns: number; readonly callId: string | null; readonly whole: boolean },
): string {
  const lines = quoteText(diff.slice(0, maxChars), columns);
  const shown = whole ? lines : lines.slice(0, maxLines);
  const hidden = lines.length - shown.length;
  const isCut = hidden > 0 || diff.length > maxChars;
  const more = hidden > 0 ? counted(hidden, "more line") : "more";
  const where = callId === null ? "" : `: toolcrib diff ${callId}`;
  return [...shown.map(colourDiffLine), ...(isCut ? [`  … ${more}${where}`] : [])].join("\n");
}

const maxLines = 24;
const maxChars = 64 * 1024;
