import { type BlockChange, type Splice, spliced, splicesOf } from "../../code/blocks/block-change.ts";
import { blockHash, blockText, startByHash, startByText } from "../../code/blocks/block-text.ts";
import { type Damage, damageOf, showFault } from "../../code/blocks/change-damage.ts";
import { headOf } from "../../code/blocks/describe-block.ts";
import type { CodeSymbol, Outline } from "../../contract/code.ts";
import { ToolError } from "../../contract/error.ts";
import type { PreviewContext } from "../../contract/tool.ts";
import { isPlaceholder } from "../../edit/diagnose/placeholder.ts";
import { diffRuns } from "../../edit/diff-runs.ts";
import { refuseHalfCharacters } from "../../edit/source.ts";
import { counted } from "../../lib/text/format-quantity.ts";
import { showRuns } from "../edit/show-lines.ts";
import type { EditFields } from "./block-fields.ts";
import type { CodeFile } from "./code-file.ts";

export interface Settled {
  readonly splices: readonly Splice[];
  /** The outline of the changed text. */
  readonly outline: Outline;
  /** Offsets of the new lines in the changed text. */
  readonly start: number;
  readonly end: number;
}

/** Returns the first variant of a change that breaks nothing. If all do, throws the error of the first. */
export async function settleLines(
  file: CodeFile,
  changes: readonly BlockChange[],
  context: PreviewContext,
): Promise<Settled> {
  let refusal: ToolError | undefined;
  for (const change of changes) {
    const settled = await keepLiterals(file, change, context);
    const damage = damageOf(file, settled.outline, settled.splices);
    if (!damage) return settled;
    refusal ??= damaged(file.path, spliced(file.text, settled.splices), damage as Damage);
  }
  throw refusal ?? new ToolError("internal", `No variant of the change to ${file.path} was planned`);
}

/**
 * Keeps the indentation of lines inside strings. Only parsing shows which lines these are, and parsing may depend on
 * their indentation, for example at the end of a heredoc. So this repeats until nothing changes.
 */
async function keepLiterals(file: CodeFile, change: BlockChange, context: PreviewContext): Promise<Settled> {
  let literal: ReadonlySet<number> = new Set();
  for (let round = 1; ; round += 1) {
    const splices = splicesOf(change, literal);
    const text = spliced(file.text, splices);
    const start = change.start + (change.lead?.length ?? 0) + (change.also?.text.length ?? 0);
    const end =
      change.start +
      splices.at(-1)!.text.length -
      (change.tail?.length ?? 0) +
      (change.also?.text.length ?? 0);
    const source = { path: file.path, text };
    const options = { signal: context.signal, literalsIn: { start, end } };
    const outline = await context.code.outline(source, options);
    const found = linesAt(text, start, outline.literalLines ?? []);
    if (round === maxRounds || isSame(found, literal)) return { splices, outline, start, end };
    literal = found;
  }
}

const maxRounds = 5;

function isSame(one: ReadonlySet<number>, other: ReadonlySet<number>): boolean {
  return one.size === other.size && [...one].every((each) => other.has(each));
}

/** Returns the numbers of the lines that begin at these offsets, counted from the line of `start`. */
function linesAt(text: string, start: number, offsets: readonly number[]): ReadonlySet<number> {
  const lines = new Set<number>();
  let line = 0;
  let from = start;
  for (const offset of offsets) {
    line += text.slice(from, offset).split("\n").length - 1;
    from = offset;
    lines.add(line);
  }
  return lines;
}

/** Returns the symbol that new code declares: one with the name and kind of `like`, else the first. */
export function declaredIn(
  { symbols }: Outline,
  { start, end }: { readonly start: number; readonly end: number },
  like?: Pick<CodeSymbol, "kind" | "name">,
): CodeSymbol | undefined {
  const inside = symbols.filter(
    (symbol) => symbol.start < end && symbol.declarationStart >= start && symbol.declarationStart < end,
  );
  const named = inside.filter(({ name }) => name === like?.name);
  return named.find(({ kind }) => kind === like?.kind) ?? named[0] ?? inside[0];
}

/** Returns the error for a change that breaks the file. `text` is the changed text. */
export function damaged(path: string, text: string, { faults, lost }: Damage): ToolError {
  const message =
    faults.length > 0
      ? `${path} would no longer parse:\n${faults
          .slice(0, maxShown)
          .map((fault) => showFault(text, fault))
          .join("\n")}${moreThan(faults.length, "fault")}`
      : `${path}: the new code would make these symbols disappear: ${lost.slice(0, maxShown).map(headOf).join(", ")}${moreThan(lost.length, "symbol")}`;
  return new ToolError("invalid-input", message, {
    hint:
      "Nothing was written; line numbers are those of the changed file. Correct the new code, or use edit.replace, " +
      "which does not check syntax.",
  });
}

const maxShown = 3;

function moreThan(count: number, what: "fault" | "symbol"): string {
  return count > maxShown ? `\nand ${counted(count - maxShown, `more ${what}`)}` : "";
}

/** Refuses a block that the caller did not expect. Returns where the verified text begins, if any was given. */
export function refuseOtherBlock(
  { path, text }: CodeFile,
  symbol: CodeSymbol,
  { expected_old_hash: hash = "", expected_old_block: block = "" }: EditFields,
): number | undefined {
  const byText = block.trim() === "" ? undefined : startByText(text, symbol, block);
  if (block.trim() !== "" && byText === undefined) {
    throw stale(
      `${path}: ${headOf(symbol)} is not the expected block:\n${difference(block, blockText(text, symbol))}`,
    );
  }
  const byHash = hash === "" ? undefined : startByHash(text, symbol, hash);
  if (hash !== "" && byHash === undefined) {
    throw stale(
      `${path}: ${headOf(symbol)} has the hash ${blockHash(text, symbol)}, not the expected ${hash}`,
    );
  }
  return byText === undefined || byHash === undefined ? (byText ?? byHash) : Math.min(byText, byHash);
}

function stale(message: string): ToolError {
  return new ToolError("stale", message, {
    hint: "Nothing was written. Read the block again (code.read_symbol), then edit its current content.",
  });
}

function difference(expected: string, found: string): string {
  const [before, after] = [linesOf(expected), linesOf(found)];
  return showRuns(before, after, diffRuns(before, after));
}

function linesOf(text: string): readonly string[] {
  return text
    .trim()
    .split(/\r?\n/)
    .map((line) => `${line}\n`);
}

/** Refuses new code that contains a NUL, half a character or a placeholder. */
export function refuseUnfit({ path, text }: CodeFile, old: CodeSymbol, block: string): void {
  refuseHalfCharacters(block);
  if (block.includes("\0"))
    throw new ToolError("invalid-input", `${path}: the new code contains a NUL character`, {
      hint: "Write it as an escape sequence, or leave it out.",
    });
  const known = blockText(text, old);
  const standIn = block.split(/\r?\n/).find((line) => isPlaceholder(line) && !known.includes(line.trim()));
  if (standIn !== undefined) throw standsForCode(path, standIn);
}

function standsForCode(path: string, line: string): ToolError {
  const message = `${path}: the new code contains a placeholder instead of code: ${line.trim()}`;
  return new ToolError("invalid-input", message, {
    hint: "Write the block out in full, or change only some of its lines with edit.replace.",
  });
}
