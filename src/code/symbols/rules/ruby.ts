import type { SymbolRules } from "../symbol-rules.ts";

export const ruby: SymbolRules = {
  query: `
    (class name: (_) @name superclass: (_) @open "end" @close) @class
    (class name: (_) @name @open "end" @close) @class
    (module name: (_) @name @open "end" @close) @module
    (method name: (_) @name parameters: (_) @open "end" @close) @function
    (method name: (_) @name @open "end" @close) @function
    (method name: (_) @name body: (_) @body) @function
    (singleton_method name: (_) @name parameters: (_) @open "end" @close) @function
    (singleton_method name: (_) @name @open "end" @close) @function
    (singleton_method name: (_) @name body: (_) @body) @function
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
    (comment) @comment
  `,
  kind({ kind, name }, parent) {
    if (kind === "function" && parent?.kind === "module") return "method";
    if (kind === "method" && name === "initialize") return "constructor";
    return kind;
  },
  name: (written) => written.replace(/^:(?=[^:])/, ""),
  // Whether :a and :b are symbols depends on the word before both: a change there has all read again.
  arrange: (pieces) => pieces,
  unrelatedComment: /^#\s*(frozen_string_literal|encoding|-\*-|typed|rubocop|:nodoc:)/,
};
