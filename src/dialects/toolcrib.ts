import { type CanonicalName, catalog } from "../tools/catalog.ts";
import type { Dialect } from "./dialect.ts";
import { rename } from "./rename.ts";

/** Our own: every canonical tool under its own name. Providers refuse dots, so on the wire `file.read` is `file_read`. */
export const toolcribDialect: Dialect = {
  name: "toolcrib",
  listed: [
    ...["file.read", "file.write", "file.list", "edit.replace", "edit.patch", "search.grep", "search.glob"],
    ...["code.symbols", "code.read_symbol", "code.search", "shell.run", "process.start", "process.output"],
    ...[
      "process.stop",
      "git.status",
      "git.diff",
      "journal.undo",
      "plan.update",
      "web.fetch",
      "document.read",
    ],
  ],
  aliases: [
    rename("code.symbols", { name: "list_symbols" }),
    rename("code.replace_block", { name: "replace_block" }),
    rename("code.insert_block", {
      name: "insert_after_block",
      summary: "Insert code after a named block. Indentation and blank lines follow the neighbours.",
      omit: ["position"],
      defaults: { position: "after" },
    }),
    rename("code.validate", { name: "validate_file" }),
  ],
  tools: (Object.keys(catalog) as CanonicalName[]).map((name) =>
    rename(name, { name: name.replace(".", "_") }),
  ),
};
