import type { SymbolRules } from "../symbol-rules.ts";

export const gleam: SymbolRules = {
  query: `
    (function name: (_) @name body: (_)? @inside) @function
    (constant name: (_) @name) @constant
    (type_definition (type_name name: (_) @name) (data_constructors)? @body) @type
    (type_alias (type_name name: (_) @name)) @type
    (data_constructor name: (_) @name) @variant
    (attribute) @attribute
    [(comment) (statement_comment) (module_comment)] @comment
  `,
  unrelatedComment: /^\/\/\/\//,
};
