import * as z from "zod/mini";
import { blockHash } from "../../code/blocks/block-text.ts";
import { headOf } from "../../code/blocks/describe-block.ts";
import type { BlockWanted } from "../../code/blocks/find-block.ts";
import type { Access } from "../../contract/access.ts";
import type { CodeSymbol, Outline } from "../../contract/code.ts";
import type { ToolOutput } from "../../contract/tool.ts";
import type { EditData } from "../edit/describe-edit.ts";
import { flag, string } from "../fields.ts";
import type { ChangedCode, ChangeOptions } from "./change-code.ts";
import { checkerAccesses, formatterAccesses } from "./project-tools/known-tools.ts";

export interface BlockFields {
  readonly path: string;
  readonly name: string;
  readonly kind?: string | undefined;
  readonly module_path?: string | undefined;
  readonly line_hint?: number | undefined;
}

/** Preconditions of the change, and what to run. */
export interface EditFields {
  readonly expected_old_hash?: string | undefined;
  readonly expected_old_block?: string | undefined;
  readonly run_formatter?: boolean | undefined;
  readonly run_check?: boolean | undefined;
}

export const pathField: z.ZodMiniString = z.string();

export const blockFields = {
  kind: string('"function", "class", "impl", "key" ...'),
  name: z.string().check(z.minLength(1), z.describe('"Foo.bar" works too.')),
  module_path: string('What it is in: "impl Agent".'),
  line_hint: z.optional(z.int().check(z.minimum(1), z.describe("A line near it."))),
};

export const editFields = {
  expected_old_hash: z.optional(
    z.string().check(
      z.regex(/^(?:[0-9a-fA-F]{8,64})?$/, {
        error: "give a SHA-256 in hex, or at least its first 8 digits",
      }),
      z.describe("As code.read_symbol gives it: refuse another."),
    ),
  ),
  expected_old_block: string("Its text: refuse another."),
  run_formatter: z.optional(z.boolean()),
  run_check: flag("If it fails, the old file comes back."),
};

export function blockWanted({ name, kind, module_path, line_hint }: Omit<BlockFields, "path">): BlockWanted {
  return { name, kind, modulePath: module_path, lineHint: line_hint };
}

/** What a change of a block touches: the file, and each command that may run. */
export function changeAccesses({
  path,
  run_formatter,
  run_check,
}: Pick<BlockFields, "path"> & EditFields): readonly Access[] {
  return [
    { kind: "write", path },
    ...(run_formatter ? formatterAccesses(path) : []),
    ...(run_check ? checkerAccesses(path) : []),
  ];
}

export function changeOptions({
  run_formatter: runFormatter,
  run_check: runCheck,
}: EditFields): ChangeOptions {
  return { runFormatter, runCheck };
}

export interface BlockEditData extends EditData {
  /** The block after the change; undefined when the new code declares nothing, or it was deleted. */
  readonly block: BlockNow | undefined;
}

interface BlockNow {
  readonly kind: CodeSymbol["kind"];
  readonly name: string;
  readonly firstLine: number;
  readonly lastLine: number;
  /** SHA-256 of its text; a caller can send it back as `expected_old_hash`. */
  readonly hash: string;
}

/** The answer of a change, with the block that `find` finds in the new file. */
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

/** Finds the symbol again in the written file: a formatter may have moved it. */
export function sameIn({ symbols }: Outline, wanted: CodeSymbol | undefined): CodeSymbol | undefined {
  const alike = symbols.filter(({ kind, name }) => kind === wanted?.kind && name === wanted.name);
  const distance = ({ start }: CodeSymbol) => Math.abs(start - wanted!.start);
  return alike.sort((one, other) => distance(one) - distance(other))[0];
}
