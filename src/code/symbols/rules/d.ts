import type { SymbolRules } from "../symbol-rules.ts";

export const d: SymbolRules = {
  query: `
    (module_declaration (module_fqn) @name) @module
    (class_declaration (class) . (identifier) @name (aggregate_body)? @inside) @class
    (struct_declaration (struct) . (identifier) @name (aggregate_body)? @inside) @struct
    (union_declaration (union) . (identifier) @name (aggregate_body)? @inside) @union
    (interface_declaration (interface) . (identifier) @name (aggregate_body)? @inside) @interface
    (enum_declaration (enum) . (identifier) @name) @enum
    (enum_member . (identifier) @name) @variant
    (template_declaration (template) . (identifier) @name) @macro
    (mixin_template_declaration (template_declaration) @inner) @outer
    (destructor "~" @name (this) @name (function_body (block_statement) @inside)?) @method
    (constructor (this) @name (function_body (block_statement) @inside)?) @constructor
    (function_declaration (identifier) @name . [(parameters) (template_parameters)]
      (function_body (block_statement) @inside)?) @function
    (alias_declaration (alias_initializer . (identifier) @name)) @type
    (manifest_constant (manifest_declarator . (identifier) @name)) @constant
    (variable_declaration (declarator . (identifier) @name) @variable)
    (variable_declaration (declarator) @inner) @outer
    (auto_declaration variable: (identifier) @name) @variable
    [(unittest_declaration) (function_literal) (block_statement)] @scope
    (at_attribute) @attribute
    (comment) @comment
  `,
  kind: ({ kind }, parent) => (kind === "variable" && parent && parent.kind !== "macro" ? "field" : kind),
  terminator: ";",
};
