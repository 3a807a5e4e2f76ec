import type { SymbolRules } from "../symbol-rules.ts";

export const rust: SymbolRules = {
  query: `
    (function_item name: (_) @name body: (_) @inside) @function
    (function_signature_item name: (_) @name) @function
    (struct_item name: (_) @name body: (field_declaration_list)? @inside) @struct
    (union_item name: (_) @name body: (_) @inside) @union
    (enum_item name: (_) @name body: (_) @inside) @enum
    (enum_variant name: (_) @name body: (field_declaration_list)? @inside) @variant
    (trait_item name: (_) @name body: (_) @inside) @trait
    (impl_item "!"? @name trait: (_)? @name type: (_) @name body: (_)? @inside) @impl
    (mod_item name: (_) @name body: (_)? @inside) @module
    (type_item name: (_) @name) @type
    (associated_type name: (_) @name) @type
    (macro_definition name: (_) @name . (macro_rule)? @body) @macro
    (const_item name: (identifier) @name) @constant
    (static_item name: (identifier) @name) @variable
    (field_declaration name: (_) @name) @field
    (attribute_item) @attribute
    [(line_comment) (block_comment)] @comment
  `,
  unrelatedComment: /^(\/\/!|\/\*!)/,
};
