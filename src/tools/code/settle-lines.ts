import { type BlockChange, type Splice, spliced, splicesOf } from "../../code/blocks/block-change.ts";
import { type Damage, damageOf } from "../../code/blocks/change-damage.ts";
import type { Outline } from "../../contract/code.ts";
import { ToolError } from "../../contract/error.ts";
import type { PreviewContext } from "../../contract/tool.ts";
import type { CodeFile } from "./code-file.ts";
import { damaged } from "./damaged.ts";

export interface Settled {
  readonly splices: readonly Splice[];
  /** Of the changed text. */
  readonly outline: Outline;
  /** Where the new lines stand in it. */
  readonly start: number;
  readonly end: number;
}

/** Of several ways to make a change, the first that breaks nothing. Refuses with what is wrong with the likeliest. */
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
  throw refusal ?? new ToolError("internal", `${file.path}: there is no way to make this change`);
}

/**
 * Which lines lie inside strings is known when they have been parsed, and how they are parsed may depend on how they are
 * indented: the end of a heredoc, for one. So it is tried until nothing changes.
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

/** The numbers of the lines that begin at these offsets, counted from the line of `start`. */
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
