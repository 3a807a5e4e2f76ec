import type { SymbolRules } from "../symbol-rules.ts";

const name = "[(identifier) @name (string content: (_) @name)]";
const assigned = '["<-" "<<-" "="]';

export const r: SymbolRules = {
  query: `
    (binary_operator lhs: ${name} operator: ${assigned}
      rhs: (function_definition body: [(braced_expression) @inside (_) @body])) @function
    (binary_operator lhs: ${name} operator: ${assigned} rhs: (call function: (identifier) @_word
      (#any-of? @_word "R6Class" "setRefClass") arguments: (_) @inside)) @class
    (call function: (identifier) @_word (#any-of? @_word "setClass" "setClassUnion" "setRefClass") arguments: (arguments .
      (argument value: (string content: (_) @name)))) @class
    (call function: (identifier) @_word (#any-of? @_word "setGeneric" "setMethod" "setReplaceMethod")
      arguments: (arguments . (argument value: (string content: (_) @name)))) @function
    (argument name: (identifier) @name value: (function_definition
      body: [(braced_expression) @inside (_) @body])) @function
    (program (binary_operator lhs: ${name} operator: ${assigned}) @variable)
    (comment) @comment
  `,
  kind({ kind, name }, parent) {
    // A function given to a function is a method only where a class is made.
    if (kind === "variable" && /^[A-Z][A-Z0-9_.]+$/.test(name)) return "constant";
    return kind === "function" && parent?.kind === "variable" ? undefined : kind;
  },
  name: (written) => written.replace(/^`(.*)`$/, "$1"),
};
