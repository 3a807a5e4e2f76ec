import type { SymbolRules } from "../symbol-rules.ts";

export const python: SymbolRules = {
  query: `
    (function_definition name: (_) @name body: (block . (expression_statement . (string) @doc)?) @inside) @function
    (class_definition name: (_) @name body: (block . (expression_statement . (string) @doc)?) @inside) @class
    (type_alias_statement left: (type [(identifier) @name (generic_type . (identifier) @name)])) @type
    (expression_statement . (assignment left: (identifier) @name right: (lambda body: (_) @body)) .) @function
    (expression_statement . (assignment left: (identifier) @name) .) @variable
    (expression_statement . (assignment left: (pattern_list (identifier) @name)) .) @variable
    (decorated_definition definition: (_) @inner) @outer
    (decorator) @attribute
    (comment) @comment
  `,
  kind({ kind, name }, parent) {
    const inClass = parent?.kind === "class";
    if (kind === "method" && name === "__init__") return "constructor";
    if (kind === "variable" && inClass) return "field";
    if (kind === "variable" && /^[A-Z][A-Z0-9_]*$/.test(name)) return "constant";
    return kind;
  },
};
