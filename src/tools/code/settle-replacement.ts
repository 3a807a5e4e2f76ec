import { spliced } from "../../code/blocks/block-change.ts";
import { describeBlock } from "../../code/blocks/describe-block.ts";
import { type PartsAbove, partsAbove, withLinesOf } from "../../code/blocks/parts-above.ts";
import { replaceBlock } from "../../code/blocks/replace-block.ts";
import { type Snippet, snippetOf } from "../../code/blocks/snippet.ts";
import type { CodeSymbol, Outline } from "../../contract/code.ts";
import { ToolError } from "../../contract/error.ts";
import type { PreviewContext } from "../../contract/tool.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import type { DeclaringEdit } from "./block-fields.ts";
import type { CodeFile } from "./code-file.ts";
import { declaredIn, refuseUnfit, type Settled, settleLines } from "./settle-lines.ts";

interface Replacement {
  readonly newBlock: string;
  /** The offset at which the text that the caller verified begins. */
  readonly verifiedStart?: number | undefined;
}

/**
 * Replaces a block. The comments and attributes above its declaration stay, unless the new block has its own or the
 * verified text includes them.
 */
export async function settleReplacement(
  file: CodeFile,
  old: CodeSymbol,
  { newBlock, verifiedStart = old.declarationStart }: Replacement,
  context: PreviewContext,
): Promise<DeclaringEdit> {
  refuseUnfit(file, old, newBlock);
  const { text, outline } = file;
  const snippet = snippetOf(newBlock);
  const whole = await settleLines(file, replaceBlock(text, outline, old, snippet), context);
  const declared = declaredIn(whole.outline, whole, old);
  const above = partsAbove(text, old, verifiedStart);
  const kept = declared && (await keepAbove(file, old, { snippet, above, whole, declared }, context));
  const settled = kept ?? whole;
  const now = kept ? declaredIn(kept.outline, kept, old) : declared;
  const notes = [
    ...notesOnName(outline, old, now),
    ...(kept ? kept.notes : notesOnRemoval(text, old, declared)),
  ];
  return { splices: settled.splices, outline: settled.outline, declared: now, notes };
}

interface Plain {
  readonly snippet: Snippet;
  readonly above: PartsAbove;
  readonly whole: Settled;
  readonly declared: CodeSymbol;
}

/** Returns undefined when nothing above the block is kept, or when it does not fit the new block. */
async function keepAbove(
  file: CodeFile,
  old: CodeSymbol,
  { snippet, above, whole, declared }: Plain,
  context: PreviewContext,
): Promise<(Settled & { readonly notes: readonly string[] }) | undefined> {
  const after = spliced(file.text, whole.splices);
  const own = partsAbove(after, declared);
  const comments =
    above.hasComments && !own.hasComments ? { start: above.start, end: above.attributesStart } : undefined;
  const attributes =
    above.hasAttributes && !own.hasAttributes ? { start: above.attributesStart, end: above.end } : undefined;
  if (!comments && !attributes) return undefined;
  const isFirst = after.slice(whole.start, own.start).trim() === "";
  const lineOf = (offset: number) => after.slice(whole.start, offset).split("\n").length - 1;
  let [lines, start] = [snippet, above.start];
  if (isFirst && !own.hasComments) start = own.hasAttributes ? above.attributesStart : above.end;
  else {
    if (attributes) lines = withLinesOf(file.text, attributes, lines, lineOf(declared.declarationStart));
    if (comments) lines = withLinesOf(file.text, comments, lines, lineOf(own.start));
  }
  try {
    const changes = replaceBlock(file.text, file.outline, old, lines, start);
    const text = [comments, attributes]
      .map((part) => (part ? file.text.slice(part.start, part.end) : ""))
      .join("");
    return {
      ...(await settleLines(file, changes, context)),
      notes: [`kept the lines above it: ${excerptOf(text)}`],
    };
  } catch (error) {
    if (error instanceof ToolError && error.code === "invalid-input") return undefined;
    throw error;
  }
}

function notesOnName(outline: Outline, old: CodeSymbol, declared: CodeSymbol | undefined): readonly string[] {
  if (!declared) return [`the new block declares nothing: ${describeBlock(outline, old)} is gone`];
  if (declared.name === old.name && declared.kind === old.kind) return [];
  return [`${old.kind} ${old.name} is gone: the new block declares ${declared.kind} ${declared.name}`];
}

/** Returns a note on comments and attributes that the replacement removed. */
function notesOnRemoval(text: string, old: CodeSymbol, declared: CodeSymbol | undefined): readonly string[] {
  const above = text.slice(old.start, old.declarationStart);
  if (above.trim() === "" || (declared && declared.start < declared.declarationStart)) return [];
  return [`removed the lines above it: ${excerptOf(above)}`];
}

function excerptOf(above: string): string {
  const lines = above
    .trim()
    .split(/\r?\n/)
    .map((line) => line.trim());
  const shown = lines.slice(0, 3).map((line) => (line.length > 100 ? `${line.slice(0, 99)}…` : line));
  return `${shown.join(" ⏎ ")}${lines.length > 3 ? ` and ${counted(lines.length - 3, "more line")}` : ""}`;
}
