import type { SymbolRules } from "../symbol-rules.ts";
import { withoutTrailingComments } from "../without-trailing-comments.ts";

export const ini: SymbolRules = {
  query: `
    (section (section_name (text) @name) @open) @key
    (setting (setting_name) @name) @key
    (comment) @comment
  `,
  name: (written) => written.trim(),
  arrange: withoutTrailingComments,
  most: 2000,
};
