import type { DialectTool } from "../dialect.ts";
import { rename } from "../rename.ts";

const fields = { run_formatter: "run_rustfmt", run_check: "run_cargo_check" } as const;

const blockFields = ["path", "kind", "name", "module_path", "line_hint"] as const;
const editFields = ["expected_old_hash", "expected_old_block", "run_formatter", "run_check"] as const;

const values = { kind: ["function", "struct", "enum", "trait", "impl"] } as const;

const describe = {
  path: "Rust file.",
  kind: "What the block is.",
  name: "Its name.",
  module_path: 'What it lies in, if the name is there twice: "impl Agent".',
  line_hint: "A line near it, if the name is there twice.",
  expected_old_hash: "SHA-256 of the block as it must be now.",
  expected_old_block: "Text of the block as it must be now.",
  run_formatter: "Format the file; false if not given.",
  run_check: "Run cargo check, and keep nothing if it fails; false if not given.",
} as const;

/** Edits of Rust by its blocks: functions, structs, enums, traits and impls. */
export const rustBlocks: readonly DialectTool[] = [
  rename("code.replace_block", {
    name: "rust_replace_block",
    summary:
      "Replace a whole Rust block by its kind and name, with its attributes and doc comments. " +
      "Surer than file.write for code that is there.",
    fields,
    values,
    describe: { ...describe, new_block: "The complete new block." },
    only: [...blockFields, "new_block", ...editFields],
    require: ["kind"],
  }),
  rename("code.insert_block", {
    name: "rust_insert_after_block",
    summary: "Insert code after a Rust block, a new function for example.",
    fields,
    values,
    describe: { ...describe, snippet: "The code to insert." },
    only: [...blockFields, "snippet", ...editFields],
    require: ["kind"],
    defaults: { position: "after" },
  }),
];
