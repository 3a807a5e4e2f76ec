import { blockHash } from "../../code/blocks/block-text.ts";
import { headOf } from "../../code/blocks/describe-block.ts";
import type { CodeSymbol, Outline } from "../../contract/code.ts";
import type { ToolOutput } from "../../contract/tool.ts";
import type { EditData } from "../edit/edited-file.ts";
import type { ChangedCode } from "./change-code.ts";

/** What an edit of a block did. */
export interface BlockEditData extends EditData {
  /** What stands there now; undefined when the new code declares nothing, or it was deleted. */
  readonly block: BlockNow | undefined;
}

interface BlockNow {
  readonly kind: CodeSymbol["kind"];
  readonly name: string;
  readonly firstLine: number;
  readonly lastLine: number;
  /** SHA-256 of its text, to be given back as `expected_old_hash`. */
  readonly hash: string;
}

/** The answer of a change, with what stands now where the new code was put. `find` finds it. */
export function blockAnswer(
  changed: ChangedCode,
  find: (outline: Outline) => CodeSymbol | undefined,
): ToolOutput<BlockEditData> {
  const { files, description, text, outline } = changed;
  const symbol = find(outline);
  if (!symbol) return { data: { files, block: undefined }, text: description };
  const { kind, name, firstLine, lastLine } = symbol;
  const hash = blockHash(text, symbol);
  return {
    data: { files, block: { kind, name, firstLine, lastLine, hash } },
    text: `${description}\nNow ${headOf(symbol)}, block hash ${hash.slice(0, 12)}.`,
  };
}

/** The symbol again, in the outline of the file as it was written: a formatter may have moved it. */
export function sameIn({ symbols }: Outline, wanted: CodeSymbol | undefined): CodeSymbol | undefined {
  const alike = symbols.filter(({ kind, name }) => kind === wanted?.kind && name === wanted.name);
  const distance = ({ start }: CodeSymbol) => Math.abs(start - wanted!.start);
  return alike.sort((one, other) => distance(one) - distance(other))[0];
}
