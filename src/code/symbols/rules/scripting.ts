import type { SymbolRulesTable } from "../symbol-rules.ts";

const rName = "[(identifier) @name (string content: (_) @name)]";
const rAssignment = '["<-" "<<-" "="]';

/** Matches the call on the left of a definition in Julia, with or without types around it. */
const juliaCall = (name: string) => `[
      (call_expression . ${name})
      (typed_expression . (call_expression . ${name}))
      (where_expression . (call_expression . ${name}))
      (where_expression . (typed_expression . (call_expression . ${name})))]`;
const juliaCallee = "[(identifier) (operator) (field_expression)] @name";
const juliaTypeHead = `[(identifier) @name
      (parametrized_type_expression . (identifier) @name)
      (binary_expression . [(identifier) @name (parametrized_type_expression . (identifier) @name)])]`;

export const scriptingRules: SymbolRulesTable = {
  python: {
    query: `
      (function_definition name: (_) @name body: (block . (expression_statement . (string) @doc)?) @inside) @function
      (class_definition name: (_) @name body: (block . (expression_statement . (string) @doc)?) @inside) @class
      (type_alias_statement left: (type [(identifier) @name (generic_type . (identifier) @name)])) @type
      (expression_statement . (assignment left: (identifier) @name right: (lambda body: (_) @body)) .) @function
      (expression_statement . (assignment left: (identifier) @name) .) @variable
      (expression_statement . (assignment left: (pattern_list (identifier) @name)) .) @variable
      (decorated_definition definition: (_) @inner) @outer
      (decorator) @attribute
    `,
    kind({ kind, name }, parent) {
      const inClass = parent?.kind === "class";
      if (kind === "method" && name === "__init__") return "constructor";
      if (kind === "variable" && inClass) return "field";
      if (kind === "variable" && /^[A-Z][A-Z0-9_]*$/.test(name)) return "constant";
      return kind;
    },
  },
  ruby: {
    query: `
      (class name: (_) @name superclass: (_) @open "end" @close) @class
      (class name: (_) @name @open "end" @close) @class
      (module name: (_) @name @open "end" @close) @module
      (method|singleton_method name: (_) @name parameters: (_) @open "end" @close) @function
      (method|singleton_method name: (_) @name @open "end" @close) @function
      (method|singleton_method name: (_) @name body: (_) @body) @function
      (alias name: (_) @name) @function
      (call method: (identifier) @_word (#eq? @_word "alias_method")
        arguments: (argument_list . (simple_symbol) @name)) @function
      (call method: (identifier) @_word (#any-of? @_word "define_method" "define_singleton_method")
        arguments: (argument_list . [(simple_symbol) @name (string . (string_content) @name .)])) @function
      (call method: (identifier) @_word (#any-of? @_word "attr_reader" "attr_writer" "attr_accessor" "attr")
        arguments: (argument_list [(simple_symbol) @name @property (string . (string_content) @name .) @property]))
      (call method: (identifier) @_word (#any-of? @_word "attr_reader" "attr_writer" "attr_accessor" "attr")
        arguments: (argument_list [(simple_symbol) (string)] @inner)) @outer
      (call !receiver arguments: (argument_list . [(method) (singleton_method)] @inner .)) @outer
      (assignment left: (constant) @name right: (call receiver: (constant) @_maker method: (identifier) @_new
        (#any-of? @_maker "Struct" "Class" "Module" "Data") (#any-of? @_new "new" "define")
        block: [(do_block "do" @open "end" @close) (block "{" @open "}" @close)]?)) @class
      (assignment left: [(constant) @name (scope_resolution name: (constant)) @name]) @constant
      (assignment left: (left_assignment_list (constant) @name @constant))
    `,
    kind({ kind, name }, parent) {
      if (kind === "function" && parent?.kind === "module") return "method";
      if (kind === "method" && name === "initialize") return "constructor";
      return kind;
    },
    name: (written) => written.replace(/^:(?=[^:])/, ""),
    // Rules with `arrange` always read the whole text. That is needed here, because the word before both decides
    // whether :a and :b are symbols.
    arrange: (pieces) => pieces,
    unrelatedComment: /^#\s*(frozen_string_literal|encoding|-\*-|typed|rubocop|:nodoc:)/,
  },
  perl: {
    query: `
      (package_statement name: (_) @name (block)? @inside) @module
      (class_statement name: (_) @name (block)? @inside) @class
      (subroutine_declaration_statement name: (_) @name body: (_)? @inside) @function
      (method_declaration_statement name: (_) @name body: (_)? @inside) @method
      (use_statement module: (package) @_word (#eq? @_word "constant")
        (list_expression . (autoquoted_bareword) @name)) @constant
      (source_file (expression_statement (assignment_expression left: (variable_declaration "our" variable: (_) @name)))
        @variable)
    `,
    terminator: ";",
  },
  php: {
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
      (property_element|property_promotion_parameter name: (variable_name (name) @name)) @property
      (property_declaration (property_element) @inner) @outer
      (const_element . (name) @name) @constant
      (const_declaration (const_element) @inner) @outer
      (expression_statement (function_call_expression function: (name) @_word (#eq? @_word "define")
        arguments: (arguments . (argument (string (string_content) @name))))) @constant
      [(anonymous_function) (arrow_function)] @scope
      (attribute_list) @attribute
    `,
    kind: ({ kind, name }) =>
      kind === "method" && name.toLowerCase() === "__construct" ? "constructor" : kind,
    terminator: ";",
  },
  lua: {
    query: `
      (function_declaration name: (_) @name parameters: (_) @open "end" @close) @function
      (assignment_statement (variable_list . name: (_) @name .)
        (expression_list . value: (function_definition parameters: (_) @open "end" @close) .)) @function
      (field name: [(identifier) @name (string (string_content) @name)]
        value: (function_definition parameters: (_) @open "end" @close)) @function
      (variable_declaration (assignment_statement (variable_list . name: (identifier) @name .))) @variable
      (variable_declaration (assignment_statement (variable_list name: (identifier) @name @variable)))
      (chunk (assignment_statement (variable_list . name: [(identifier) (dot_index_expression)] @name .)) @variable)
      (variable_declaration (assignment_statement) @inner) @outer
      [(function_definition) (do_statement) (if_statement) (for_statement) (while_statement) (repeat_statement)] @scope
    `,
    kind({ kind, name }) {
      if (kind === "function" && name.includes(":")) return "method";
      if (kind === "variable" && /^[A-Z][A-Z0-9_]+$/.test(name)) return "constant";
      return kind;
    },
    terminator: ";",
  },
  bash: {
    query: `
      (function_definition name: (_) @name body: (_) @inside) @function
      (command name: (command_name (word) @_word (#eq? @_word "alias"))
        argument: [(concatenation . (word) @name) (word) @name] (#match? @name "=")) @macro
      (program (declaration_command "readonly" (variable_assignment name: (variable_name) @name) @constant))
      (program (declaration_command (variable_assignment name: (variable_name) @name) @variable))
      (program (declaration_command (variable_assignment) @inner) @outer)
      (program (variable_assignment name: (variable_name) @name) @variable)
    `,
    name: (written) => written.replace(/=.*$/, ""),
    unrelatedComment: /^#\s*shellcheck /,
  },
  powershell: {
    query: `
      (function_statement (function_name) @name "{" @open "}" @close) @function
      (class_statement . (simple_name) @name "{" @open "}" @close) @class
      (enum_statement . (simple_name) @name "{" @open "}" @close) @enum
      (enum_member . (simple_name) @name) @variant
      (class_property_definition (variable) @name) @property
      (class_method_definition (simple_name) @name "{" @open "}" @close) @method
    `,
    kind: ({ kind, name }, parent) => (kind === "method" && name === parent?.name ? "constructor" : kind),
  },
  r: {
    query: `
      (binary_operator lhs: ${rName} operator: ${rAssignment}
        rhs: (function_definition body: [(braced_expression) @inside (_) @body])) @function
      (binary_operator lhs: ${rName} operator: ${rAssignment} rhs: (call function: (identifier) @_word
        (#any-of? @_word "R6Class" "setRefClass") arguments: (_) @inside)) @class
      (call function: (identifier) @_word (#any-of? @_word "setClass" "setClassUnion" "setRefClass") arguments: (arguments .
        (argument value: (string content: (_) @name)))) @class
      (call function: (identifier) @_word (#any-of? @_word "setGeneric" "setMethod" "setReplaceMethod")
        arguments: (arguments . (argument value: (string content: (_) @name)))) @function
      (argument name: (identifier) @name value: (function_definition
        body: [(braced_expression) @inside (_) @body])) @function
      (program (binary_operator lhs: ${rName} operator: ${rAssignment}) @variable)
    `,
    kind({ kind, name }, parent) {
      // A function argument is a method only if it creates a class.
      if (kind === "variable" && /^[A-Z][A-Z0-9_.]+$/.test(name)) return "constant";
      return kind === "function" && parent?.kind === "variable" ? undefined : kind;
    },
    name: (written) => written.replace(/^`(.*)`$/, "$1"),
  },
  julia: {
    query: `
      (module_definition name: (_) @name @open "end" @close) @module
      (function_definition (signature ${juliaCall(juliaCallee)}) @open "end" @close) @function
      (function_definition (signature (identifier) @name) @open "end" @close) @function
      (macro_definition (signature ${juliaCall("[(identifier) (operator)] @name")}) @open "end" @close) @macro
      (assignment . ${juliaCall(juliaCallee)} . (operator) . (_) @body) @function
      (struct_definition (type_head ${juliaTypeHead}) @open "end" @close) @struct
      (abstract_definition (type_head ${juliaTypeHead})) @type
      (primitive_definition (type_head ${juliaTypeHead})) @type
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
    `,
    kind: ({ kind, name }, parent) => (kind === "method" && name === parent?.name ? "constructor" : kind),
  },
  matlab: {
    query: `
      (function_definition name: (_) @name (block)? @inside) @function
      (class_definition name: (_) @name) @class
    `,
  },
  vim: {
    query: `
      (function_definition (function_declaration name: (_) @name) (body)? @inside) @function
      (command_statement name: (_) @name) @function
      (script_file (let_statement . [(scoped_identifier) (identifier)] @name) @variable)
    `,
  },
  gdscript: {
    query: `
      (class_name_statement name: (_) @name) @class
      (class_definition name: (_) @name body: (_) @inside) @class
      (function_definition name: (_) @name body: (_) @inside) @function
      (constructor_definition "_init" @name body: (_) @inside) @constructor
      (signal_statement name: (_) @name) @field
      (const_statement name: (_) @name) @constant
      (variable_statement name: (_) @name) @variable
      (enum_definition name: (_) @name body: (_) @inside) @enum
      (enumerator left: (_) @name) @variant
      (lambda) @scope
      (annotation) @attribute
    `,
    kind: ({ kind }, parent) => (kind === "variable" && parent ? "field" : kind),
  },
};
