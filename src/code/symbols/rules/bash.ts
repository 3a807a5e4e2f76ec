import type { SymbolRules } from "../symbol-rules.ts";

export const bash: SymbolRules = {
  query: `
    (function_definition name: (_) @name body: (_) @inside) @function
    (command name: (command_name (word) @_word (#eq? @_word "alias"))
      argument: [(concatenation . (word) @name) (word) @name] (#match? @name "=")) @macro
    (program (declaration_command "readonly" (variable_assignment name: (variable_name) @name) @constant))
    (program (declaration_command (variable_assignment name: (variable_name) @name) @variable))
    (program (declaration_command (variable_assignment) @inner) @outer)
    (program (variable_assignment name: (variable_name) @name) @variable)
    (comment) @comment
  `,
  name: (written) => written.replace(/=.*$/, ""),
  unrelatedComment: /^#\s*shellcheck /,
};
