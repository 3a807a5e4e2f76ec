import type { SymbolRules } from "../symbol-rules.ts";

export const cSharp: SymbolRules = {
  query: `
    (class_declaration name: (_) @name body: (_)? @inside) @class
    (record_declaration name: (_) @name body: (_)? @inside) @class
    (struct_declaration name: (_) @name body: (_)? @inside) @struct
    (interface_declaration name: (_) @name body: (_)? @inside) @interface
    (enum_declaration name: (_) @name body: (_)? @inside) @enum
    (enum_member_declaration name: (_) @name) @variant
    (delegate_declaration name: (_) @name) @type
    (method_declaration name: (_) @name body: [(block) @inside (arrow_expression_clause) @body]?) @method
    (local_function_statement name: (_) @name body: [(block) @inside (arrow_expression_clause) @body]?) @function
    (constructor_declaration name: (_) @name body: [(block) @inside (arrow_expression_clause) @body]?) @constructor
    (destructor_declaration "~" @name name: (_) @name body: [(block) @inside (arrow_expression_clause) @body]?) @method
    (operator_declaration "operator" @name operator: _ @name body: [(block) @inside (arrow_expression_clause) @body]?) @method
    (conversion_operator_declaration "operator" @name type: (_) @name body: [(block) @inside (arrow_expression_clause) @body]?) @method
    (indexer_declaration "this" @name accessors: (_)? @inside) @property
    (property_declaration name: (_) @name accessors: (_)? @inside) @property
    (property_declaration name: (_) @name value: (_) @body) @property
    (event_declaration name: (_) @name accessors: (_)? @inside) @property
    (event_field_declaration (variable_declaration (variable_declarator name: (_) @name) @field))
    (field_declaration (variable_declaration (variable_declarator name: (_) @name) @field))
    (namespace_declaration name: (_) @name body: (_) @inside) @module
    (file_scoped_namespace_declaration name: (_) @name) @module
    (variable_declaration (variable_declarator) @inner) @outer
    (field_declaration (variable_declaration) @inner) @outer
    (event_field_declaration (variable_declaration) @inner) @outer
    (global_statement (local_function_statement) @inner) @outer
    (attribute_list) @attribute
    (comment) @comment
  `,
  terminator: ";",
};
