import type { SymbolRules } from "../symbol-rules.ts";

export const matlab: SymbolRules = {
  query: `
    (function_definition name: (_) @name (block)? @inside) @function
    (class_definition name: (_) @name) @class
    (comment) @comment
  `,
};
