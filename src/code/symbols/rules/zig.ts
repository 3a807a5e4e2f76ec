import type { SymbolRules } from "../symbol-rules.ts";

export const zig: SymbolRules = {
  query: `
    (variable_declaration "const" . (identifier) @name (struct_declaration "{" @open "}" @close)) @struct
    (variable_declaration "const" . (identifier) @name (opaque_declaration "{" @open "}" @close)) @struct
    (variable_declaration "const" . (identifier) @name (enum_declaration "{" @open "}" @close)) @enum
    (variable_declaration "const" . (identifier) @name (union_declaration "{" @open "}" @close)) @union
    (variable_declaration "const" . (identifier) @name (error_set_declaration "{" @open "}" @close)) @enum
    (error_set_declaration (identifier) @name @variant)
    (container_field name: (identifier) @name) @field
    (variable_declaration "const" . (identifier) @name) @constant
    (variable_declaration "var" . (identifier) @name) @variable
    (function_declaration name: (_) @name body: (_)? @inside) @function
    (test_declaration [(string (string_content) @name) (identifier) @name] (block) @inside) @function
    [(comptime_declaration) (block)] @scope
    (comment) @comment
  `,
  kind({ kind, name }, parent) {
    if (name === "") return undefined;
    return kind === "field" && parent?.kind === "enum" ? "variant" : kind;
  },
  unrelatedComment: /^\/\/!/,
};
