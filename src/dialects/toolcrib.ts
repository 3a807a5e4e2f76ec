import { type CanonicalName, catalog } from "../tools/catalog.ts";
import type { Dialect } from "./dialect.ts";
import { type InputOf, renameTool } from "./rename.ts";
import { blockFields, editFields } from "./shared/inputs.ts";

/** The tools that most tasks need; the others are found with `tools.find`. */
const listed: readonly CanonicalName[] = [
  ...(["file.read", "file.write", "file.list", "edit.replace", "edit.patch", "search.grep"] as const),
  ...(["search.glob", "code.symbols", "code.read_symbol", "shell.run", "process.start"] as const),
  ...(["process.output", "process.stop", "git.status", "journal.undo", "web.fetch"] as const),
  // These are offered only where there are agents.
  ...(["agent.spawn", "agent.send", "agent.wait", "agent.close"] as const),
];

/** Arguments that models rarely need; other dialects and users can still pass them. */
const hiddenFields: { readonly [Name in CanonicalName]?: readonly (keyof InputOf<Name>)[] } = {
  "file.read": ["max_bytes", "exclude", "no_ignore"],
  "file.list": ["exclude"],
  "edit.replace": ["exact", "first", "hard_links"],
  "edit.preview": ["exact", "first", "hard_links", "expected_hash", "expect_count", "edits"],
  "edit.diff": ["path"],
  "edit.anchored": ["hard_links"],
  "edit.smart": ["as_is"],
  "search.grep": ["whole_word", "exclude", "only_matching", "before", "after", "max_per_file"],
  "search.glob": ["ignore_case", "sort"],
  "code.symbols": ["depth"],
  "code.replace_block": ["expected_old_block"],
  "code.insert_block": ["expected_old_block"],
  "code.delete_block": ["expected_old_block"],
  "shell.run": ["quiet_timeout_ms", "description"],
  "process.start": ["input", "wait_ms", "timeout_ms", "max_chars"],
  "process.output": ["line", "wait_ms", "max_chars"],
  "process.input": ["wait_ms", "max_chars", "cursor"],
  "process.wait": ["cursor"],
  "git.diff": ["commit"],
  "git.commit": ["path"],
  "git.log": ["skip"],
  "git.branch": ["path"],
  "journal.diff": ["since"],
  "journal.undo": ["since"],
  "math.calculate": ["strict"],
  "web.fetch": ["more_urls"],
  "web.search": ["only_domains", "without_domains"],
  "agent.spawn": ["wait_ms"],
  "agent.wait": ["more_agents"],
};

/** Toolcrib's own dialect: every canonical tool. Providers refuse dots, so `file.read` is sent as `file_read`. */
export const toolcribDialect: Dialect = {
  name: "toolcrib",
  listed,
  aliases: [
    renameTool("code.symbols", { name: "list_symbols" }),
    renameTool("code.replace_block", { name: "replace_block" }),
    renameTool("code.insert_block", {
      name: "insert_after_block",
      description: "Insert code after a named block. Indentation and blank lines follow the neighbours.",
      only: [...blockFields, "snippet", ...editFields],
      defaults: { position: "after" },
    }),
    renameTool("code.validate", { name: "validate_file" }),
  ],
  tools: (Object.keys(catalog) as CanonicalName[]).map((name) =>
    renameTool(name, { name: name.replace(".", "_"), hiddenFields: hiddenFields[name] as never }),
  ),
};
