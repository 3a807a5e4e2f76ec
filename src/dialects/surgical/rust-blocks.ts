import type { DialectTool } from "../dialect.ts";
import { reshape } from "../reshape.ts";
import type { Describing } from "../zod-mini.ts";

/** Edits of Rust by its blocks: functions, structs, enums, traits and impls. */
export const rustBlocks: readonly DialectTool[] = [
  reshape(["code.replace_block"], {
    name: "rust_replace_block",
    summary:
      "Replace a whole Rust block by its kind and name, with its attributes and doc comments. " +
      "Surer than file.write for code that is there.",
    input: (z) => z.strictObject({ ...which(z), new_block: newBlock(z), ...conditions(z) }),
    means: ({ run_rustfmt, run_cargo_check, ...wanted }) => [
      "code.replace_block",
      { ...wanted, run_formatter: run_rustfmt, run_check: run_cargo_check },
    ],
  }),
  reshape(["code.insert_block"], {
    name: "rust_insert_after_block",
    summary: "Insert code after a Rust block, a new function for example.",
    input: (z) => z.strictObject({ ...which(z), snippet: snippet(z), ...conditions(z) }),
    means: ({ run_rustfmt, run_cargo_check, ...wanted }) => [
      "code.insert_block",
      { ...wanted, position: "after" as const, run_formatter: run_rustfmt, run_check: run_cargo_check },
    ],
  }),
];

function which(z: Describing) {
  return {
    path: z.string().check(z.describe("Rust file.")),
    kind: z.enum(["function", "struct", "enum", "trait", "impl"]).check(z.describe("What the block is.")),
    name: z.string().check(z.minLength(1), z.describe("Its name.")),
    module_path: z.optional(
      z.string().check(z.describe('What it lies in, if the name is there twice: "impl Agent".')),
    ),
    line_hint: z.optional(
      z.int().check(z.minimum(1), z.describe("A line near it, if the name is there twice.")),
    ),
  };
}

function newBlock(z: Describing) {
  return z.string().check(z.minLength(1), z.describe("The complete new block."));
}

function snippet(z: Describing) {
  return z.string().check(z.minLength(1), z.describe("The code to insert."));
}

function conditions(z: Describing) {
  return {
    expected_old_hash: z.optional(
      z.string().check(
        z.regex(/^(?:[0-9a-fA-F]{8,64})?$/, {
          error: "give a SHA-256 in hex, or at least its first 8 digits",
        }),
        z.describe("SHA-256 of the block as it must be now."),
      ),
    ),
    expected_old_block: z.optional(z.string().check(z.describe("Text of the block as it must be now."))),
    run_rustfmt: z.optional(z.boolean().check(z.describe("Format the file; false if not given."))),
    run_cargo_check: z.optional(
      z.boolean().check(z.describe("Run cargo check, and keep nothing if it fails; false if not given.")),
    ),
  };
}
