import type { SymbolRulesTable } from "../symbol-rules.ts";

export const jvmAndDotnetRules: SymbolRulesTable = {
  java: {
    query: `
      (class_declaration|record_declaration name: (_) @name body: (_) @inside) @class
      (interface_declaration|annotation_type_declaration name: (_) @name body: (_) @inside) @interface
      (enum_declaration name: (_) @name body: (_) @inside) @enum
      (enum_constant name: (_) @name body: (_)? @inside) @variant
      (method_declaration name: (_) @name body: (_)? @inside) @method
      (annotation_type_element_declaration name: (_) @name) @method
      (constructor_declaration|compact_constructor_declaration name: (_) @name body: (_) @inside) @constructor
      (record_declaration parameters: (formal_parameters (formal_parameter name: (_) @name) @field))
      (field_declaration declarator: (variable_declarator name: (_) @name) @field)
      (constant_declaration declarator: (variable_declarator name: (_) @name) @constant)
      (module_declaration name: (_) @name body: (_) @inside) @module
      (field_declaration|constant_declaration declarator: (_) @inner) @outer
      (modifiers [(marker_annotation) (annotation)] @attribute)
    `,
  },
  kotlin: {
    query: `
      (class_declaration "enum" (type_identifier) @name (enum_class_body)? @inside) @enum
      (class_declaration "interface" (type_identifier) @name (class_body)? @inside) @interface
      (class_declaration|object_declaration (type_identifier) @name (class_body)? @inside) @class
      (companion_object "companion" @name "object" @name (type_identifier)? @name (class_body)? @inside) @class
      (class_parameter (binding_pattern_kind) (simple_identifier) @name) @property
      (enum_entry (simple_identifier) @name (class_body)? @inside) @variant
      (secondary_constructor "constructor" @name "{" @open "}" @close) @constructor
      (secondary_constructor "constructor" @name) @constructor
      (function_declaration
        (simple_identifier) @name [(function_body . "{") @inside (function_body . "=") @body]?) @function
      ((property_declaration (variable_declaration (simple_identifier) @name)) @variable
        . [(getter) (setter)]+ @last)
      (property_declaration (modifiers (property_modifier) @_word (#eq? @_word "const")) (variable_declaration (simple_identifier) @name))
        @constant
      (property_declaration (variable_declaration (simple_identifier) @name)) @variable
      (property_declaration (multi_variable_declaration (variable_declaration (simple_identifier) @name) @variable))
      (type_alias (type_identifier) @name) @type
      [(anonymous_initializer) (lambda_literal) (anonymous_function) (getter) (setter) (object_literal)
        (control_structure_body)] @scope
      (annotation) @attribute
    `,
    kind({ kind }, parent) {
      if (kind === "variable" && parent) return "property";
      if (kind === "function" && parent?.kind === "variant") return "method";
      return kind;
    },
    name: (written) => written.replace(/^companion object (?=.)|`/g, ""),
    terminator: ";",
  },
  scala: {
    query: `
      (class_definition name: (_) @name body: (_)? @inside) @class
      (object_definition name: (_) @name body: (_)? @inside) @class
      (package_object name: (_) @name body: (_)? @inside) @module
      (trait_definition name: (_) @name body: (_)? @inside) @trait
      (enum_definition name: (_) @name body: (_) @inside) @enum
      (simple_enum_case name: (_) @name) @variant
      (full_enum_case name: (_) @name) @variant
      (enum_case_definitions [(simple_enum_case) (full_enum_case)] @inner) @outer
      (given_definition name: (_) @name body: (with_template_body)? @inside) @impl
      (given_definition !name return_type: (_) @name body: (with_template_body)? @inside) @impl
      (extension_definition parameters: (parameters (parameter type: (_) @name)) body: (_) @body) @impl
      (function_definition name: (_) @name body: [(block) (indented_block)] @inside) @function
      (function_definition name: (_) @name body: (_) @body) @function
      (function_declaration name: (_) @name) @function
      (type_definition name: (_) @name) @type
      (class_parameter ["val" "var"] name: (_) @name) @field
      (val_definition pattern: (identifier) @name) @variable
      (var_definition pattern: (identifier) @name) @variable
      (val_definition pattern: [(identifiers (identifier) @name @variable) (tuple_pattern (identifier) @name @variable)])
      (val_declaration name: (_) @name) @variable
      (var_declaration name: (_) @name) @variable
      ((_ name: (_) @name) @class . "end" . "_end_ident" @last)
      [(block) (indented_block) (lambda_expression) (case_block) (indented_cases)] @scope
      (annotation) @attribute
    `,
    kind({ kind, name }, parent) {
      if (kind === "method" && name === "this") return "constructor";
      if (kind === "variable" && parent) return "field";
      return kind;
    },
    name: (written) => written.replace(/^`(.*)`$/, "$1"),
    terminator: ";",
  },
  groovy: {
    query: `
      (class_definition "interface" name: (_) @name body: (_) @inside) @interface
      (class_definition name: (_) @name body: (_) @inside) @class
      (function_definition function: (_) @name body: (_) @inside) @function
      (function_declaration function: (_) @name) @function
      (source_file (declaration name: (_) @name) @variable)
      (class_definition body: (closure (declaration name: (_) @name) @field))
      (annotation) @attribute
      [(comment) (groovy_doc)] @comment
    `,
  },
  "c-sharp": {
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
    `,
    terminator: ";",
  },
};
