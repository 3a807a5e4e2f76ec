import type { SymbolRules } from "../symbol-rules.ts";

export const css: SymbolRules = {
  query: `
    (rule_set (selectors) @name (block) @inside) @rule
    (media_statement "@media" @name . (_)+ @name . (block) @inside) @rule
    (supports_statement "@supports" @name . (_)+ @name . (block) @inside) @rule
    (keyframes_statement . _ @name (keyframes_name) @name (keyframe_block_list) @inside) @rule
    (at_rule . (at_keyword) @name . (_)* @name . (block) @inside) @rule
    (declaration (property_name) @name (#match? @name "^--")) @property
    (comment) @comment
  `,
  name: (written) => written.slice(0, 120),
  most: 5000,
};
