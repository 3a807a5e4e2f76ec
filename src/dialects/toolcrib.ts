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
  tools: (Object.keys(catalog) as CanonicalName[]).map((name) =>
    rename(name, { name: name.replace(".", "_") }),
  ),
};
