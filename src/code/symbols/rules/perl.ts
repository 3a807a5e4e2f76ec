import type { SymbolRules } from "../symbol-rules.ts";

export const perl: SymbolRules = {
  query: `
    (package_statement name: (_) @name (block)? @inside) @module
    (class_statement name: (_) @name (block)? @inside) @class
    (subroutine_declaration_statement name: (_) @name body: (_)? @inside) @function
    (method_declaration_statement name: (_) @name body: (_)? @inside) @method
    (use_statement module: (package) @_word (#eq? @_word "constant")
      (list_expression . (autoquoted_bareword) @name)) @constant
    (source_file (expression_statement (assignment_expression left: (variable_declaration "our" variable: (_) @name)))
      @variable)
    (comment) @comment
  `,
  terminator: ";",
};
