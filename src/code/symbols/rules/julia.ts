import type { SymbolRules } from "../symbol-rules.ts";

/** A call that is defined, with or without types around it. */
const call = (name: string) => `[
      (call_expression . ${name})
      (typed_expression . (call_expression . ${name}))
      (where_expression . (call_expression . ${name}))
      (where_expression . (typed_expression . (call_expression . ${name})))]`;
const called = "[(identifier) (operator) (field_expression)] @name";
const head = `[(identifier) @name
      (parametrized_type_expression . (identifier) @name)
      (binary_expression . [(identifier) @name (parametrized_type_expression . (identifier) @name)])]`;

export const julia: SymbolRules = {
  query: `
    (module_definition name: (_) @name @open "end" @close) @module
    (function_definition (signature ${call(called)}) @open "end" @close) @function
    (function_definition (signature (identifier) @name) @open "end" @close) @function
    (macro_definition (signature ${call("[(identifier) (operator)] @name")}) @open "end" @close) @macro
    (assignment . ${call(called)} . (operator) . (_) @body) @function
    (struct_definition (type_head ${head}) @open "end" @close) @struct
    (abstract_definition (type_head ${head})) @type
    (primitive_definition (type_head ${head})) @type
    (struct_definition (block [(identifier) @name @field (typed_expression . (identifier) @name) @field]))
    (macrocall_expression (macro_identifier (identifier) @_word (#eq? @_word "enum"))
      (macro_argument_list . (identifier) @name)) @enum
    (const_statement (assignment . [(identifier) @name (typed_expression . (identifier) @name)])) @constant
    (source_file (assignment . (identifier) @name) @variable)
    (module_definition (block (assignment . (identifier) @name) @variable))
    (macrocall_expression (macro_argument_list [
      (function_definition) (assignment) (struct_definition)] @inner .)) @outer
    (_ (string_literal (content) @doc) @attribute . [
      (function_definition) (macro_definition) (assignment) (struct_definition) (abstract_definition)
      (primitive_definition) (module_definition) (const_statement) (macrocall_expression)])
    [(line_comment) (block_comment)] @comment
  `,
  kind: ({ kind, name }, parent) => (kind === "method" && name === parent?.name ? "constructor" : kind),
};
