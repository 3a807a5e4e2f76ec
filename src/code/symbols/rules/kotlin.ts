import type { SymbolRules } from "../symbol-rules.ts";

export const kotlin: SymbolRules = {
  query: `
    (class_declaration "enum" (type_identifier) @name (enum_class_body)? @inside) @enum
    (class_declaration "interface" (type_identifier) @name (class_body)? @inside) @interface
    (class_declaration (type_identifier) @name (class_body)? @inside) @class
    (object_declaration (type_identifier) @name (class_body)? @inside) @class
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
    [(line_comment) (multiline_comment)] @comment
  `,
  kind({ kind }, parent) {
    if (kind === "variable" && parent) return "property";
    if (kind === "function" && parent?.kind === "variant") return "method";
    return kind;
  },
  name: (written) => written.replace(/^companion object (?=.)|`/g, ""),
  terminator: ";",
};
