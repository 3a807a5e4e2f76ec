import type { SymbolRules } from "../symbol-rules.ts";

export const nix: SymbolRules = {
  query: `
    (binding attrpath: (_) @name expression: (function_expression body: (_) @body)) @function
    (binding attrpath: (_) @name expression: (attrset_expression) @inside) @key
    (binding attrpath: (_) @name) @key
    (comment) @comment
  `,
  name: (written) => written.replace(/^"(.*)"$/, "$1"),
  most: 5000,
};
