import type { SymbolRules } from "../symbol-rules.ts";

/** Signature and body stand side by side. */
const withBody = `. (function_body (block)? @inside)? @last`;

export const dart: SymbolRules = {
  query: `
    (class_definition name: (_) @name body: (_) @inside) @class
    (class_definition (mixin_application_class . (identifier) @name)) @class
    (mixin_declaration (identifier) @name (class_body) @inside) @trait
    (enum_declaration name: (_) @name body: (_) @inside) @enum
    (enum_constant name: (_) @name) @variant
    (extension_declaration name: (_) @name body: (_) @inside) @impl
    (extension_type_declaration name: (_) @name body: (_) @inside) @class
    ((method_signature (constructor_signature . name: (_) @name . "." . name: (_) @name)) @constructor ${withBody})
    ((method_signature (constructor_signature . name: (_) @name)) @constructor ${withBody})
    ((method_signature (factory_constructor_signature "factory" . (_) @name . "." . (_) @name)) @constructor ${withBody})
    ((method_signature (factory_constructor_signature "factory" . (_) @name)) @constructor ${withBody})
    ((method_signature (function_signature name: (_) @name)) @method ${withBody})
    ((method_signature (getter_signature name: (_) @name)) @property ${withBody})
    ((method_signature (setter_signature name: (_) @name)) @property ${withBody})
    ((method_signature (operator_signature "operator" . _ @name)) @method ${withBody})
    (declaration [(constructor_signature . name: (_) @name . "." . name: (_) @name)
      (constant_constructor_signature (const_builtin) . (_) @name . "." . (_) @name)
      (redirecting_factory_constructor_signature "factory" . (_) @name . "." . (_) @name)]) @constructor
    (declaration [(constructor_signature . name: (_) @name)
      (constant_constructor_signature (const_builtin) . (_) @name)
      (redirecting_factory_constructor_signature "factory" . (_) @name)]) @constructor
    (declaration (function_signature name: (_) @name)) @method
    (declaration (getter_signature name: (_) @name)) @property
    (declaration (setter_signature name: (_) @name)) @property
    (declaration (operator_signature "operator" . _ @name)) @method
    (declaration [
      (initialized_identifier_list (initialized_identifier . (identifier) @name) @field)
      (static_final_declaration_list (static_final_declaration . (identifier) @name) @field)])
    (declaration [
      (initialized_identifier_list (initialized_identifier) @inner)
      (static_final_declaration_list (static_final_declaration) @inner)]) @outer
    (local_function_declaration (lambda_expression
      parameters: (function_signature name: (_) @name) body: (function_body (block)? @inside))) @function
    (program (function_signature name: (_) @name) @function ${withBody})
    (program (getter_signature name: (_) @name) @variable ${withBody})
    (program (setter_signature name: (_) @name) @variable ${withBody})
    (program [(const_builtin) (final_builtin) (inferred_type)] @first
      . [(type_identifier) (type_arguments) (nullable_type) (function_type)]*
      . [(static_final_declaration_list . (static_final_declaration . (identifier) @name) .)
        (initialized_identifier_list . (initialized_identifier . (identifier) @name) .)] @variable)
    (program [
      (static_final_declaration_list (static_final_declaration . (identifier) @name) @variable)
      (initialized_identifier_list (initialized_identifier . (identifier) @name) @variable)])
    (type_alias "typedef" . (type_identifier) @name . "=") @type
    (type_alias (type_identifier) @name . (formal_parameter_list)) @type
    (annotation) @attribute
    [(comment) (documentation_comment)] @comment
  `,
  terminator: ";",
};
