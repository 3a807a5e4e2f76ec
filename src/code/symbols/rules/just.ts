import type { SymbolRules } from "../symbol-rules.ts";

export const just: SymbolRules = {
  query: `
    (recipe (recipe_header name: (_) @name) (recipe_body)? @inside) @rule
    (assignment left: (_) @name) @variable
    (export (assignment) @inner) @outer
    (alias left: (_) @name) @macro
    (attribute) @attribute
    (comment) @comment
  `,
};
