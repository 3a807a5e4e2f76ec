import type { SymbolRules } from "../symbol-rules.ts";

export const vim: SymbolRules = {
  query: `
    (function_definition (function_declaration name: (_) @name) (body)? @inside) @function
    (command_statement name: (_) @name) @function
    (script_file (let_statement . [(scoped_identifier) (identifier)] @name) @variable)
    (comment) @comment
  `,
};
