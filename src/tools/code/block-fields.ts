import * as z from "zod/mini";
import { blockHash } from "../../code/blocks/block-text.ts";
import { headOf } from "../../code/blocks/describe-block.ts";
import type { BlockWanted } from "../../code/blocks/find-block.ts";
import type { ToolAccess } from "../../contract/access.ts";
import type { CodeSymbol, Outline } from "../../contract/code.ts";
import type { ToolContext, ToolOutput } from "../../contract/tool.ts";
import { undefinedUnlessExhausted } from "../../lib/exhaustion.ts";
import type { EditData } from "../edit/describe-edit.ts";
import { flag, string } from "../fields.ts";
import type { ChangedCode, CodeEdit } from "./change-code.ts";
import { checkerAccesses, formatterAccesses } from "./project-tools/known-tools.ts";

export const pathField = z.string();

export const blockFields = {
  kind: string('"function", "class", "impl", "key" ...'),
  name: z.string().check(z.minLength(1), z.describe('Name, or qualified name: "Foo.bar".')),
  module_path: string('Enclosing block: "impl Agent".'),
  line_hint: z.optional(z.int().check(z.minimum(1), z.describe("A nearby line number."))),
};

export const editFields = {
  expected_old_hash: z.optional(
    z.string().check(
      z.regex(/^(?:[0-9a-fA-F]{8,64})?$/, {
        error: "must be a SHA-256 in hex, or at least its first 8 digits",
      }),
      z.describe("Hash from code.read_symbol; refuse another block."),
    ),
  ),
  expected_old_block: string("Its current text; refuse another."),
  run_formatter: z.optional(z.boolean()),
  run_check: flag("Run the project's checker; restores the file if it fails."),
};

/** Holds the preconditions of a change and the project tools to run. */
export type EditFields = z.infer<z.ZodMiniObject<typeof editFields>>;

export function blockWanted({
  name,
  kind,
  module_path,
  line_hint,
}: z.infer<z.ZodMiniObject<typeof blockFields>>): BlockWanted {
  return { name, kind, modulePath: module_path, lineHint: line_hint };
}

/** Returns the accesses of a block change: the file, and each command that may run. */
export function changeAccesses({
  path,
  run_formatter,
  run_check,
}: { readonly path: string } & EditFields): readonly ToolAccess[] {
  return [
    { kind: "write", path },
    ...(run_formatter ? formatterAccesses(path) : []),
    ...(run_check ? checkerAccesses(path) : []),
  ];
}

/** Leaves out the formatters and checkers that the project does not use. */
export async function changeAccessesNeeded(
  accesses: readonly ToolAccess[],
  { path }: { readonly path: string },
  context: Pick<ToolContext, "environment">,
): Promise<readonly ToolAccess[]> {
  if (!accesses.some(({ kind }) => kind === "execute")) return accesses;
  const { usedBy } = await import("./project-tools/find-tools.ts");
  const used = await usedBy(path, context).catch(undefinedUnlessExhausted);
  // The policy decides about a path that cannot be read.
  if (used === undefined) return accesses;
  return accesses.filter((access) => access.kind !== "execute" || used.has(access.command));
}

export interface BlockEditData extends EditData {
  /** The block after the change; undefined when the new code declares nothing, or the block was deleted. */
  readonly block: BlockNow | undefined;
}

interface BlockNow {
  readonly kind: CodeSymbol["kind"];
  readonly name: string;
  readonly firstLine: number;
  readonly lastLine: number;
  /** SHA-256 of the block's text, which a caller can send back as `expected_old_hash`. */
  readonly hash: string;
}

/** An edit whose new code may declare a symbol. */
export interface DeclaringEdit extends CodeEdit {
  readonly declared: CodeSymbol | undefined;
}

/** Returns the answer to a change, with the declared block as it is in the new file. */
export function blockAnswer(changed: ChangedCode<DeclaringEdit>): ToolOutput<BlockEditData> {
  const { edit, files, description, text, outline } = changed;
  const symbol = sameIn(outline, edit.declared);
  if (!symbol) return { data: { files, block: undefined }, text: description };
  const { kind, name, firstLine, lastLine } = symbol;
  const hash = blockHash(text, symbol);
  return {
    data: { files, block: { kind, name, firstLine, lastLine, hash } },
    text: `${description}\nNow ${headOf(symbol)}, block hash ${hash.slice(0, 12)}.`,
  };
}

/** Finds the symbol again in the written file: a formatter may have moved it. */
function sameIn({ symbols }: Outline, wanted: CodeSymbol | undefined): CodeSymbol | undefined {
  const alike = symbols.filter(({ kind, name }) => kind === wanted?.kind && name === wanted.name);
  const distance = ({ start }: CodeSymbol) => Math.abs(start - wanted!.start);
  return alike.sort((one, other) => distance(one) - distance(other))[0];
}
