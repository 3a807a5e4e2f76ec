import { ToolError } from "../../contract/error.ts";
import type { Block } from "../block.ts";
import { bytesOf, type Source } from "../source.ts";

/**
 * Refuses new lines that are placeholders for code: "... existing code ...", "rest of the file unchanged". They are
 * allowed if the old text or the file contains them. `text` contains all new lines.
 */
export function refusePlaceholders(source: Source, block: Block, text: string): void {
  if (!hint.test(text)) return;
  const { oldLines, newLines, runs } = block;
  for (const line of runs.flatMap(({ newStart, newEnd }) => newLines.slice(newStart, newEnd))) {
    const isOld = () =>
      oldLines.some((old) => old.trim() === line.trim()) || source.utf8.bytes.includes(bytesOf(line.trim()));
    if (!isPlaceholder(line) || isOld()) continue;
    const message = `${source.path}: the new text contains a placeholder instead of code: ${line.trim()}`;
    throw new ToolError("invalid-input", message, {
      hint: "Write the code out in full, or change only the lines that differ.",
    });
  }
}

/** Every placeholder contains one of these words, so a cheap test for them comes first. */
const hint = /rest|remain|existing|unchanged|previous|original|same|other/i;

const spread = /^\s*\.{3}[\w$.?!()[\]]+[,;:)}\]]*\s*$/;

export function isPlaceholder(line: string): boolean {
  if (line.length > 200 || !hint.test(line) || spread.test(line)) return false;
  const comment =
    /^\s*(?:\/\/+|#+|\/\*+|\*|<!--|--|;+|%+|\{\/\*|"""|''')?\s*(.*?)\s*(?:\*\/\}?|-->|"""|''')?\s*$/.exec(
      line,
    )?.[1] ?? "";
  const words = comment
    .replace(/^[[({<]\s*|\s*[\])}>]$/g, "")
    .replace(/[.…]+$/g, "")
    .trim();
  const hasDots = /^(?:\.{3}|…)/.test(words) || /(?:\.{3}|…)\s*[\])}>]?$/.test(comment);
  const phrase = words
    .replace(/^(?:\.{3}|…)\s*/, "")
    .replace(/^[[({]\s*|\s*[\])}]$/g, "")
    .trim()
    .toLowerCase();
  return hasDots ? dottedElision.test(phrase) : unmarkedElision.test(phrase);
}

const thing =
  "(?:code|file|function|class|method|component|implementation|content|contents|body|lines|logic|imports|methods|functions|fields|properties|tests|script|document|section|module|part|parts)";
const kept =
  "(?:unchanged|omitted|the same|same|as before|as is|as-is|as it was|stays|remains|remain|here|goes here|untouched|not shown)";

/** A comment with dots is a placeholder if it names omitted code. */
const dottedElision = new RegExp(
  `^(?:keep |the |all |your |my |other |any )*(?:rest|remaining|remainder|existing|unchanged|previous|original|same|other)\\b(?:.{0,40}\\b${thing}\\b.{0,40}|(?: of (?:the|this|your) \\w+)?(?: .{0,20})?\\b${kept}|)$`,
);

/** A comment without dots must also say that the code is unchanged. */
const unmarkedElision = new RegExp(
  `^(?:the |all |keep |your |other )*(?:rest|remaining|remainder|existing|previous|original|unchanged)\\b(?: of (?:the|this|your))?(?: \\w+){0,2}? ?\\b${thing}\\b(?: below| above| here)?,?(?: (?:is|are|stays?|remains?))?(?: completely| exactly)? ${kept}$`,
);
