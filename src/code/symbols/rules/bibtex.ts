import type { SymbolRules } from "../symbol-rules.ts";

export const bibtex: SymbolRules = {
  query: `
    (entry key: (_) @name) @key
    (string name: (_) @name) @variable
  `,
  most: 5000,
};
