import type { SymbolRules } from "../symbol-rules.ts";

export const cmake: SymbolRules = {
  query: `
    (function_def (function_command (argument_list . (argument) @name)) @open (endfunction_command) @close) @function
    (macro_def (macro_command (argument_list . (argument) @name)) @open (endmacro_command) @close) @macro
    (normal_command (identifier) @_word (#any-of? @_word "project") (argument_list . (argument) @name)) @module
    (normal_command (identifier) @_word (#any-of? @_word "add_executable" "add_library" "add_custom_target")
      (argument_list . (argument) @name)) @rule
    (normal_command (identifier) @_word (#any-of? @_word "set" "option") (argument_list . (argument) @name)) @variable
    (line_comment) @comment
  `,
  kind: ({ kind }, parent) => (kind === "variable" && parent ? undefined : kind),
};
