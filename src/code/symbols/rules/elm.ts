import { joinClauses } from "../join-clauses.ts";
import type { SymbolRules } from "../symbol-rules.ts";

export const elm: SymbolRules = {
  query: `
    (module_declaration name: (_) @name) @module
    (type_declaration name: (_) @name) @type
    (union_variant name: (_) @name) @variant
    (type_alias_declaration name: (_) @name) @type
    (type_alias_declaration (type_expression (record_type (field_type name: (_) @name) @field)))
    (port_annotation name: (_) @name) @function
    (file (type_annotation name: (_) @name) @function)
    (file (value_declaration (function_declaration_left . (lower_case_identifier) @name) body: (_) @body) @function)
    [(line_comment) (block_comment)] @comment
  `,
  arrange: joinClauses,
};
