import { type BlockChange, type Splice, spliced, splicesOf } from "../../../code/blocks/block-change.ts";
import { damageOf } from "../../../code/blocks/change-damage.ts";
import { describeBlock } from "../../../code/blocks/describe-block.ts";
import { insertBlock } from "../../../code/blocks/insert-block.ts";
import { snippetOf } from "../../../code/blocks/snippet.ts";
import type { TextLocation } from "../../../code/smart/location.ts";
import type { CodeSymbol } from "../../../contract/code.ts";
import type { PreviewContext } from "../../../contract/tool.ts";
import type { FilePlan } from "../../../edit/edit-request.ts";
import { planReplace } from "../../../edit/plan-replace.ts";
import { sourcesOf } from "../../../edit/source.ts";
import type { CodeFile } from "../../code/code-file.ts";
import { firstThatParses } from "../../code/delete-block.ts";
import { filePlan } from "../../code/file-plan.ts";
import { damaged, refuseUnfit, settleLines } from "../../code/settle-lines.ts";
import { settleReplacement } from "../../code/settle-replacement.ts";
import { listLines } from "../show-lines.ts";
import { isPartOfLines, type Operation, planAsIs, planDeletion, planLines } from "./plan-lines.ts";
import type { ReadFile } from "./smart-file.ts";

interface Wanted {
  readonly location: string;
  readonly operation: Operation;
  readonly content: string;
  readonly asIs?: boolean | undefined;
}

/** Plans the change of the file. Throws if it would parse worse than before. */
export async function planTarget(
  file: ReadFile,
  found: TextLocation,
  wanted: Wanted,
  context: PreviewContext,
): Promise<FilePlan> {
  const plan = await planEdit(file, found, wanted, context);
  if (file.unread === undefined) return plan;
  return { ...plan, notes: [...plan.notes, `its syntax was not checked: ${file.unread}`] };
}

async function planEdit(
  file: ReadFile,
  found: TextLocation,
  wanted: Wanted,
  context: PreviewContext,
): Promise<FilePlan> {
  if (found.symbol) return planBlock(file as CodeFile, found, found.symbol, wanted, context);
  const isText = found.way === "text" || found.way === "tolerant text";
  if (wanted.operation === "replace" && isText) return planText(file, wanted, context);
  const notes = [...notesOnTarget(file, found), ...(found.way === "tolerant text" ? [foundLoosely] : [])];
  const { operation, content, asIs } = wanted;
  const planSplice = async (splice: Splice) => {
    const after = spliced(file.text, [splice]);
    await refuseDamage(file, after, context);
    return filePlan({ file: file as CodeFile, after, notes });
  };
  if (operation === "delete") return planSplice(planDeletion(file.text, found));
  if (operation === "replace" && isPartOfLines(file.text, found))
    return planSplice({ start: found.start, end: found.end, text: content });
  if (asIs) return planSplice(planAsIs(file.text, found, operation, content));
  const changes = planLines(file, found, operation, content);
  const splices = await settled(file, changes, context);
  return filePlan({ file: file as CodeFile, after: spliced(file.text, splices), notes });
}

const foundLoosely = "found with other indentation, quotes or wrapping";

async function planBlock(
  file: CodeFile,
  found: TextLocation,
  symbol: CodeSymbol,
  { operation, content }: Wanted,
  context: PreviewContext,
): Promise<FilePlan> {
  const { text, outline } = file;
  const notes = notesOnTarget(file, found);
  if (operation === "delete") {
    const { splices } = await firstThatParses(file, symbol, context);
    return filePlan({ file, after: spliced(text, splices), notes });
  }
  if (operation === "replace") {
    const change = await settleReplacement(file, symbol, { newBlock: content }, context);
    return filePlan({ file, after: spliced(text, change.splices), notes: [...notes, ...change.notes] });
  }
  refuseUnfit(file, symbol, content);
  const snippet = snippetOf(content);
  const position = operation === "insert_before" ? "before" : "after";
  const change = await settleLines(file, insertBlock({ text, outline, symbol, position, snippet }), context);
  return filePlan({ file, after: spliced(text, change.splices), notes });
}

/** Adapts the new text to the match, as edit.replace does. */
async function planText(
  file: ReadFile,
  { location, content }: Wanted,
  context: PreviewContext,
): Promise<FilePlan> {
  const { path, bytes } = file;
  const edits = [{ find: location, replace: content }];
  const plan = planReplace({ kind: "replace", path, edits }, () => bytes);
  const after = "after" in plan ? plan.after : bytes;
  const [source] = sourcesOf(path, after);
  await refuseDamage(file, source!.text.utf8.toString(), context);
  return plan;
}

async function settled(
  file: ReadFile,
  changes: readonly BlockChange[],
  context: PreviewContext,
): Promise<readonly Splice[]> {
  if (!file.outline) return splicesOf(changes[0]!, new Set());
  return (await settleLines(file as CodeFile, changes, context)).splices;
}

async function refuseDamage(file: ReadFile, after: string, context: PreviewContext): Promise<void> {
  if (!file.outline) return;
  const { path, outline: before } = file;
  // The language is given, because the change may remove the first line, which names the interpreter.
  const changed = { path, text: after, language: before.language };
  const outline = await context.code.outline(changed, { signal: context.signal });
  const damage = damageOf({ text: file.text, outline: before }, outline, [differenceOf(file.text, after)]);
  if (damage) throw damaged(path, after, damage);
}

/** Returns the single splice that turns one text into the other. */
function differenceOf(before: string, after: string): Splice {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let tail = 0;
  while (tail < shorter - start && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  return { start, end: before.length - tail, text: after.slice(start, after.length - tail) };
}

/** Explains how the location was interpreted, unless that is obvious. */
function notesOnTarget(
  { outline }: ReadFile,
  { way, symbol, firstLine, lastLine, score }: TextLocation,
): readonly string[] {
  const block = symbol && outline ? describeBlock(outline, symbol) : "";
  switch (way) {
    case "symbol":
      return [`the location names ${block}`];
    case "description":
      return [`the description fits ${block} best, score ${score.toFixed(2)}`];
    case "similar text":
      return [
        `most like the location: ${listLines([{ first: firstLine, last: lastLine }])}, score ${score.toFixed(2)}`,
      ];
    default:
      return [];
  }
}
