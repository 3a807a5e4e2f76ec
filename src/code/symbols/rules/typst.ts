import type { SymbolRules } from "../symbol-rules.ts";

export const typst: SymbolRules = {
  query: `
    (section (heading (text) @name) @open) @heading
    (source_file (code (let pattern: (call item: (ident) @name)) @function))
    (source_file (code (let pattern: (ident) @name) @variable))
    (code (let) @inner) @outer
    (comment) @comment
  `,
};
