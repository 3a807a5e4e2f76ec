import type { SymbolRules } from "../symbol-rules.ts";

/** Bindings of a module; those of an expression are local to it. */
const bindings = (holder: string) => `
    (${holder} (value_definition (let_binding pattern: [(value_name) (parenthesized_operator)] @name
      (parameter) body: (_) @body) @function))
    (${holder} (value_definition (let_binding pattern: [(value_name) (parenthesized_operator)] @name
      body: [(fun_expression) (function_expression)] @body) @function))
    (${holder} (value_definition (let_binding pattern: [(value_name) (parenthesized_operator)] @name) @variable))
    (${holder} (value_definition (let_binding pattern: [
      (tuple_pattern (value_name) @name @variable)
      (parenthesized_pattern (tuple_pattern (value_name) @name @variable))])))
    (${holder} (value_definition (let_binding) @inner) @outer)`;

const signatures = `
    (value_specification [(value_name) (parenthesized_operator)] @name type: (function_type)) @function
    (value_specification [(value_name) (parenthesized_operator)] @name) @variable
    (external [(value_name) (parenthesized_operator)] @name) @function
    (exception_definition (constructor_declaration (constructor_name) @name)) @type
    (type_binding name: (type_constructor) @name
      body: [(record_declaration) (variant_declaration)]? @inside) @type
    (type_definition (type_binding) @inner) @outer
    (constructor_declaration (constructor_name) @name) @variant
    (field_declaration (field_name) @name) @field
    (module_binding . (module_name) @name module_type: (signature "sig" @open "end" @close) !body) @module
    (module_binding . (module_name) @name) @module
    (module_definition (module_binding) @inner) @outer
    (module_type_definition (module_type_name) @name body: (signature "sig" @open "end" @close)?) @interface
    (class_binding (class_name) @name) @class
    (class_definition (class_binding) @inner) @outer
    (class_type_binding (class_type_name) @name) @interface
    (class_type_definition (class_type_binding) @inner) @outer
    (method_specification (method_name) @name) @method
    (comment) @comment
`;

export const ocaml: SymbolRules = {
  query: `
    ${["compilation_unit", "structure"].map(bindings).join("\n")}
    (module_binding (module_name) @name body: (structure "struct" @open "end" @close)) @module
    (class_binding (class_name) @name body: (object_expression "object" @open "end" @close)) @class
    (method_definition (method_name) @name body: (_)? @body) @method
    (instance_variable_definition (instance_variable_name) @name) @field
    ${signatures}
  `,
  name: withoutParentheses,
};

export const ocamlInterface: SymbolRules = { query: signatures, name: withoutParentheses };

function withoutParentheses(written: string): string {
  return written.replace(/^\(\s*(.*?)\s*\)$/, "$1");
}
