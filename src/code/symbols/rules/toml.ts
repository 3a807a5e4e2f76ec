import type { SymbolRules } from "../symbol-rules.ts";
import { withoutTrailingComments } from "../without-trailing-comments.ts";

const key = "[(bare_key) (dotted_key) (quoted_key)] @name";

export const toml: SymbolRules = {
  query: `
    (table . "[" . ${key} . "]" @open) @key
    (table_array_element . "[[" . ${key} . "]]" @open) @key
    (pair . ${key} [(inline_table) (array)] @inside) @key
    (pair . ${key}) @key
    (comment) @comment
  `,
  name: (written) => written.replace(/^(["'])(.*)\1$/, "$2"),
  arrange: withoutTrailingComments,
  most: 2000,
};
