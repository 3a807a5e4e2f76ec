import type { SymbolRules } from "../symbol-rules.ts";

export const json: SymbolRules = {
  query: `
    (pair key: (string) @name value: [(object) (array)] @inside) @key
    (pair key: (string) @name) @key
    (comment) @comment
  `,
  name: (written) => written.slice(1, -1),
  most: 2000,
};
