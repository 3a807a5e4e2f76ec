import type { SymbolRules } from "../symbol-rules.ts";

export const php: SymbolRules = {
  query: `
    (namespace_definition name: (_) @name body: (_)? @inside) @module
    (class_declaration name: (_) @name body: (_) @inside) @class
    (interface_declaration name: (_) @name body: (_) @inside) @interface
    (trait_declaration name: (_) @name body: (_) @inside) @trait
    (enum_declaration name: (_) @name body: (_) @inside) @enum
    (enum_case name: (_) @name) @variant
    (method_declaration name: (_) @name body: (_)? @inside) @method
    (function_definition name: (_) @name body: (_) @inside) @function
    (program (expression_statement (assignment_expression left: (variable_name) @name
      right: [(anonymous_function body: (_) @inside) (arrow_function body: (_) @body)])) @function)
    (property_element name: (variable_name (name) @name)) @property
    (property_declaration (property_element) @inner) @outer
    (property_promotion_parameter name: (variable_name (name) @name)) @property
    (const_element . (name) @name) @constant
    (const_declaration (const_element) @inner) @outer
    (expression_statement (function_call_expression function: (name) @_word (#eq? @_word "define")
      arguments: (arguments . (argument (string (string_content) @name))))) @constant
    [(anonymous_function) (arrow_function)] @scope
    (attribute_list) @attribute
    (comment) @comment
  `,
  kind: ({ kind, name }) =>
    kind === "method" && name.toLowerCase() === "__construct" ? "constructor" : kind,
  terminator: ";",
};
