import type { SymbolRules } from "../symbol-rules.ts";

export const go: SymbolRules = {
  query: `
    (function_declaration name: (_) @name body: (_)? @inside) @function
    (method_declaration name: (_) @name body: (_)? @inside) @method
    (type_spec name: (_) @name type: (struct_type (field_declaration_list) @inside)) @struct
    (type_spec name: (_) @name type: (interface_type "{" @open "}" @close)) @interface
    (type_spec name: (_) @name) @type
    (type_alias name: (_) @name) @type
    (method_elem name: (_) @name) @method
    (field_declaration name: (_) @name) @field
    (field_declaration !name type: [
      (type_identifier) @name
      (qualified_type name: (_) @name)
      (generic_type type: (type_identifier) @name)
      (generic_type type: (qualified_type name: (_) @name))
    ]) @field
    (const_spec (identifier) @name) @constant
    (var_spec name: (identifier) @name value: (expression_list . (func_literal body: (_) @inside) .)) @function
    (var_spec name: (identifier) @name) @variable
    (func_literal) @scope
    (type_declaration [(type_spec) (type_alias)] @inner) @outer
    (const_declaration (const_spec) @inner) @outer
    (var_declaration (var_spec) @inner) @outer
    (var_spec_list (var_spec) @inner) @outer
    (var_declaration (var_spec_list) @inner) @outer
    (comment) @comment
  `,
  kind({ kind, name }, parent) {
    if (name === "_" && !isFunction(kind)) return undefined;
    // Fields of a struct that has no name: a table of test cases.
    if (kind === "field" && parent && isFunction(parent.kind)) return undefined;
    return kind;
  },
};

function isFunction(kind: string): boolean {
  return kind === "function" || kind === "method";
}
