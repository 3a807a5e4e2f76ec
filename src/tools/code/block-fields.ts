import * as z from "zod/mini";
import type { BlockWanted } from "../../code/blocks/find-block.ts";
import type { Access } from "../../contract/access.ts";
import type { ChangeOptions } from "./change-code.ts";
import { checkerAccesses } from "./project-tools/checkers.ts";
import { formatterAccesses } from "./project-tools/formatters.ts";

/** Which block of a file is meant. */
export interface BlockFields {
  readonly path: string;
  readonly name: string;
  readonly kind?: string | undefined;
  readonly module_path?: string | undefined;
  readonly line_hint?: number | undefined;
}

/** What must hold before it is changed, and what is to run. */
export interface EditFields {
  readonly expected_old_hash?: string | undefined;
  readonly expected_old_block?: string | undefined;
  readonly run_formatter?: boolean | undefined;
  readonly run_check?: boolean | undefined;
}

/** The fields as models are told of them. */
export const pathField: z.ZodMiniString = z.string();

export const blockFields = {
  kind: z.optional(z.string().check(z.describe('"function", "class", "impl", "key" ...'))),
  name: z.string().check(z.minLength(1), z.describe('"Foo.bar" works too.')),
  module_path: z.optional(z.string().check(z.describe('What it is in: "impl Agent".'))),
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
  expected_old_block: z.optional(z.string().check(z.describe("Its text: refuse another."))),
  run_formatter: z.optional(z.boolean()),
  run_check: z.optional(z.boolean().check(z.describe("If it fails, the old file comes back."))),
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
