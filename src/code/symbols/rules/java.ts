import type { SymbolRules } from "../symbol-rules.ts";

export const java: SymbolRules = {
  query: `
    (class_declaration name: (_) @name body: (_) @inside) @class
    (record_declaration name: (_) @name body: (_) @inside) @class
    (interface_declaration name: (_) @name body: (_) @inside) @interface
    (annotation_type_declaration name: (_) @name body: (_) @inside) @interface
    (enum_declaration name: (_) @name body: (_) @inside) @enum
    (enum_constant name: (_) @name body: (_)? @inside) @variant
    (method_declaration name: (_) @name body: (_)? @inside) @method
    (annotation_type_element_declaration name: (_) @name) @method
    (constructor_declaration name: (_) @name body: (_) @inside) @constructor
    (compact_constructor_declaration name: (_) @name body: (_) @inside) @constructor
    (record_declaration parameters: (formal_parameters (formal_parameter name: (_) @name) @field))
    (field_declaration declarator: (variable_declarator name: (_) @name) @field)
    (constant_declaration declarator: (variable_declarator name: (_) @name) @constant)
    (module_declaration name: (_) @name body: (_) @inside) @module
    (field_declaration declarator: (_) @inner) @outer
    (constant_declaration declarator: (_) @inner) @outer
    (modifiers [(marker_annotation) (annotation)] @attribute)
    [(line_comment) (block_comment)] @comment
  `,
};
