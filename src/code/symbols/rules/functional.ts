import type { Node } from "web-tree-sitter";
import { joinClauses } from "../arrange-pieces.ts";
import type { SymbolRulesTable } from "../symbol-rules.ts";

/** Equations in a module, a class or an instance are symbols. All others are local. */
const haskellEquations = (holder: string) => `
    (${holder} (signature name: [(variable) @name (prefix_id (_) @name)]) @function)
    (${holder} (function name: [(variable) @name (prefix_id (_) @name)] match: (_) @body) @function)
    (${holder} (function (infix operator: [(operator) @name (infix_id (_) @name)]) match: (_) @body) @function)
    (${holder} (bind name: [(variable) @name (prefix_id (_) @name)] match: (_) @body) @function)`;

/** The bindings of a module are symbols, and those of an expression are local to it. */
const ocamlBindings = (holder: string) => `
    (${holder} (value_definition (let_binding pattern: [(value_name) (parenthesized_operator)] @name
      (parameter) body: (_) @body) @function))
    (${holder} (value_definition (let_binding pattern: [(value_name) (parenthesized_operator)] @name
      body: [(fun_expression) (function_expression)] @body) @function))
    (${holder} (value_definition (let_binding pattern: [(value_name) (parenthesized_operator)] @name) @variable))
    (${holder} (value_definition (let_binding pattern: [
      (tuple_pattern (value_name) @name @variable)
      (parenthesized_pattern (tuple_pattern (value_name) @name @variable))])))
    (${holder} (value_definition (let_binding) @inner) @outer)`;

const ocamlSignatures = `
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
`;

const rescriptBindings = (open: string, close: string) => `
    ${open}(let_declaration (let_binding pattern: (value_identifier) @name body: (function body: (_) @body)) @function)${close}
    ${open}(let_declaration (let_binding pattern: (value_identifier) @name) @variable)${close}
    ${open}(let_declaration (let_binding) @inner) @outer${close}`;

const elixirFunctions = `"def" "defp" "defn" "defnp" "defguard" "defguardp" "defdelegate"`;
const elixirMacros = `"defmacro" "defmacrop"`;
const elixirAttributes = `"doc" "typedoc" "spec" "impl" "deprecated" "since" "tag" "dialyzer"`;
const elixirDirectives = `"moduledoc" "moduletag" "describetag" "behaviour" "behavior" "compile" "before_compile" "after_compile"
  "after_verify" "on_definition" "on_load" "external_resource" "enforce_keys" "derive" "file" "vsn" "nifs"
  "optional_callbacks" "callback" "macrocallback" "type" "typep" "opaque" ${elixirAttributes}`;

export const functionalRules: SymbolRulesTable = {
  haskell: {
    query: `
      (header module: (_) @name) @module
      (data_type name: (_) @name constructors: (_)? @body) @type
      (newtype|type_synomym|type_family|data_family name: (_) @name) @type
      (data_constructor [(record name: (_) @name) (prefix name: (_) @name) (infix operator: (_) @name)]) @variant
      (newtype_constructor|gadt_constructor name: (_) @name) @variant
      (gadt_constructor names: (binding_list name: (_) @name @variant))
      (field name: (field_name (_) @name @field))
      (field name: (field_name (_) @inner)) @outer
      (class name: (_) @name declarations: (_)? @inside) @class
      (instance name: (_) @name patterns: (_)? @name declarations: (_)? @inside) @impl
      (deriving_instance name: (_) @name patterns: (_)? @name) @impl
      (class_declarations (signature names: (binding_list name: (_) @name @function)))
      (foreign_import signature: (signature name: (_) @name)) @function
      ${["declarations", "class_declarations", "instance_declarations"].map(haskellEquations).join("\n")}
      [(comment) (haddock) (pragma)] @comment
    `,
    kind: ({ kind }, parent) => (kind === "function" && parent?.kind === "class" ? "method" : kind),
    unrelatedComment: /^(\{-#|--\s*\^|\{-\s*\^)/,
    arrange: joinClauses,
  },
  elm: {
    query: `
      (module_declaration name: (_) @name) @module
      (type_declaration|type_alias_declaration name: (_) @name) @type
      (union_variant name: (_) @name) @variant
      (type_alias_declaration (type_expression (record_type (field_type name: (_) @name) @field)))
      (port_annotation name: (_) @name) @function
      (file (type_annotation name: (_) @name) @function)
      (file (value_declaration (function_declaration_left . (lower_case_identifier) @name) body: (_) @body) @function)
    `,
    arrange: joinClauses,
  },
  ocaml: {
    query: `
      ${["compilation_unit", "structure"].map(ocamlBindings).join("\n")}
      (module_binding (module_name) @name body: (structure "struct" @open "end" @close)) @module
      (class_binding (class_name) @name body: (object_expression "object" @open "end" @close)) @class
      (method_definition (method_name) @name body: (_)? @body) @method
      (instance_variable_definition (instance_variable_name) @name) @field
      ${ocamlSignatures}
    `,
    name: withoutParentheses,
  },
  "ocaml-interface": { query: ocamlSignatures, name: withoutParentheses },
  rescript: {
    query: `
      ${rescriptBindings("(source_file ", ")")}
      ${rescriptBindings("(module_binding definition: (block ", "))")}
      (type_binding name: (_) @name) @type
      (type_declaration (type_binding) @inner) @outer
      (variant_declaration (variant_identifier) @name) @variant
      (record_type_field (property_identifier) @name) @field
      (module_binding name: (_) @name definition: (block) @inside) @module
      (module_binding name: (_) @name) @module
      (module_declaration (module_binding) @inner) @outer
      (external_declaration (value_identifier) @name) @function
      (exception_declaration (variant_identifier) @name) @type
      (decorator) @attribute
    `,
  },
  gleam: {
    query: `
      (function name: (_) @name body: (_)? @inside) @function
      (constant name: (_) @name) @constant
      (type_definition (type_name name: (_) @name) (data_constructors)? @body) @type
      (type_alias (type_name name: (_) @name)) @type
      (data_constructor name: (_) @name) @variant
      (attribute) @attribute
      [(comment) (statement_comment) (module_comment)] @comment
    `,
    unrelatedComment: /^\/\/\/\//,
  },
  erlang: {
    query: `
      (module_attribute name: (_) @name) @module
      (pp_define lhs: (macro_lhs name: (_) @name)) @macro
      (record_decl name: (_) @name) @struct
      (record_field name: (_) @name) @field
      (type_alias|opaque name: (type_name name: (_) @name)) @type
      (callback fun: (_) @name) @function
      (fun_decl clause: (function_clause name: (_) @name args: (_) @parameters body: (_) @body)) @function
      (spec) @attribute
    `,
    kind: ({ kind }, parent) => (kind === "field" && parent?.kind !== "struct" ? undefined : kind),
    name: (written) => written.replace(/^'(.*)'$/, "$1"),
    arrange: joinClauses,
    terminator: ".",
  },
  /** Every definition is a call, and its first argument is the defined thing. */
  elixir: {
    query: `
      (call target: (identifier) @_word (#eq? @_word "defimpl")
        (arguments . (_) @name . (keywords (pair value: (_) @name)))) @impl
      (call target: (identifier) @_word (#eq? @_word "defimpl") (arguments . (_) @name .)) @impl
      (call target: (identifier) @_word (#eq? @_word "defmodule") (arguments . (_) @name)) @module
      (call target: (identifier) @_word (#eq? @_word "defprotocol") (arguments . (_) @name)) @interface
      (call target: (identifier) @_word (#eq? @_word "test") (arguments . (string) @name)) @function
      (call target: (identifier) @_word (#any-of? @_word ${elixirMacros}) (arguments . (_) @name)) @macro
      (call target: (identifier) @_word (#any-of? @_word ${elixirFunctions}) (arguments . (_) @name)) @function
      (call target: (identifier) @_word (#any-of? @_word ${elixirFunctions} ${elixirMacros}) (arguments . [
        (call (arguments) @parameters)
        (binary_operator left: (call (arguments) @parameters) operator: "when")] @name)) @function
      (call target: (identifier) @_word
        (#any-of? @_word ${elixirFunctions} ${elixirMacros} "defmodule" "defprotocol" "defimpl" "test")
        (arguments . (_) @name) (do_block "do" @open "end" @close)) @function
      (call (arguments . (_) @name) (do_block . (unary_operator operand: (call target: (identifier) @_doc
        (#eq? @_doc "moduledoc") (arguments (string (quoted_content) @doc)))))) @module
      (unary_operator operand: (call target: (identifier) @_word (#any-of? @_word "type" "typep" "opaque")
        (arguments . (binary_operator left: (_) @name)))) @type
      (unary_operator operand: (call target: (identifier) @_word (#any-of? @_word "callback" "macrocallback")
        (arguments . (binary_operator left: (_) @name)))) @function
      (unary_operator "@" operand: (call target: (identifier) @name (#not-any-of? @name ${elixirDirectives}) (arguments)))
        @constant
      (unary_operator "@" operand: (call target: (identifier) @_word (#any-of? @_word ${elixirAttributes})
        (arguments (string (quoted_content) @doc)?))) @attribute
    `,
    nameNode: elixirNameNode,
    name: (written) => written.replace(/, for: /, " for ").replace(/^"(.*)"$/, "$1"),
    kind: ({ kind, name }) => (/^(unquote\(|%?\{|__MODULE__$)/.test(name) ? undefined : kind),
    arrange: joinClauses,
  },
};

function withoutParentheses(written: string): string {
  return written.replace(/^\(\s*(.*?)\s*\)$/, "$1");
}

/** Returns the name in a definition: `run` in `run(a, b) when a > b`, `+` in `a + b`, `t` in `t(a) :: list(a)`. */
function elixirNameNode(captured: Node): Node {
  let node = captured;
  for (;;) {
    const operator = node.childForFieldName("operator");
    if (operator && operator.type !== "when" && operator.type !== "::") return operator;
    const inner = operator ? node.childForFieldName("left") : node.childForFieldName("target");
    if (!inner) return node;
    // If a macro constructs the name, the whole call is the name.
    if (inner.type === "call" && !operator) return inner;
    node = inner;
  }
}
