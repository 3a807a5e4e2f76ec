import { joinClauses } from "../join-clauses.ts";
import type { SymbolRules } from "../symbol-rules.ts";

export const erlang: SymbolRules = {
  query: `
    (module_attribute name: (_) @name) @module
    (pp_define lhs: (macro_lhs name: (_) @name)) @macro
    (record_decl name: (_) @name) @struct
    (record_field name: (_) @name) @field
    (type_alias name: (type_name name: (_) @name)) @type
    (opaque name: (type_name name: (_) @name)) @type
    (callback fun: (_) @name) @function
    (fun_decl clause: (function_clause name: (_) @name args: (_) @parameters body: (_) @body)) @function
    (spec) @attribute
    (comment) @comment
  `,
  kind: ({ kind }, parent) => (kind === "field" && parent?.kind !== "struct" ? undefined : kind),
  name: (written) => written.replace(/^'(.*)'$/, "$1"),
  arrange: joinClauses,
  terminator: ".",
};
