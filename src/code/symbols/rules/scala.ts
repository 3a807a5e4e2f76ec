import type { SymbolRules } from "../symbol-rules.ts";

export const scala: SymbolRules = {
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
    [(comment) (block_comment)] @comment
  `,
  kind({ kind, name }, parent) {
    if (kind === "method" && name === "this") return "constructor";
    if (kind === "variable" && parent) return "field";
    return kind;
  },
  name: (written) => written.replace(/^`(.*)`$/, "$1"),
  terminator: ";",
};
