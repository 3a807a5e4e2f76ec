import type { SymbolRules } from "../symbol-rules.ts";

/** Terraform and what else is written in HCL. A block is named by its labels, else by its word. */
export const terraform: SymbolRules = {
  query: `
    (block . (identifier) . [(string_lit) (identifier)]+ @name . (block_start) @open (block_end) @close) @key
    (block . (identifier) @name . (block_start) @open (block_end) @close) @key
    (attribute (identifier) @name) @key
    (comment) @comment
  `,
  name: (written) => written.replace(/" "/g, ".").replace(/^"|"$/g, ""),
  most: 5000,
};
