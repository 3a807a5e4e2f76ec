import type { SymbolRules } from "../symbol-rules.ts";

export const lua: SymbolRules = {
  query: `
    (function_declaration name: (_) @name parameters: (_) @open "end" @close) @function
    (assignment_statement (variable_list . name: (_) @name .)
      (expression_list . value: (function_definition parameters: (_) @open "end" @close) .)) @function
    (field name: [(identifier) @name (string (string_content) @name)]
      value: (function_definition parameters: (_) @open "end" @close)) @function
    (variable_declaration (assignment_statement (variable_list . name: (identifier) @name .))) @variable
    (variable_declaration (assignment_statement (variable_list name: (identifier) @name @variable)))
    (chunk (assignment_statement (variable_list . name: [(identifier) (dot_index_expression)] @name .)) @variable)
    (variable_declaration (assignment_statement) @inner) @outer
    [(function_definition) (do_statement) (if_statement) (for_statement) (while_statement) (repeat_statement)] @scope
    (comment) @comment
  `,
  kind({ kind, name }) {
    if (kind === "function" && name.includes(":")) return "method";
    if (kind === "variable" && /^[A-Z][A-Z0-9_]+$/.test(name)) return "constant";
    return kind;
  },
  terminator: ";",
};
