import type { SymbolRules } from "../symbol-rules.ts";

export const powershell: SymbolRules = {
  query: `
    (function_statement (function_name) @name "{" @open "}" @close) @function
    (class_statement . (simple_name) @name "{" @open "}" @close) @class
    (enum_statement . (simple_name) @name "{" @open "}" @close) @enum
    (enum_member . (simple_name) @name) @variant
    (class_property_definition (variable) @name) @property
    (class_method_definition (simple_name) @name "{" @open "}" @close) @method
    (comment) @comment
  `,
  kind: ({ kind, name }, parent) => (kind === "method" && name === parent?.name ? "constructor" : kind),
};
