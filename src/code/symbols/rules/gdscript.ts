import type { SymbolRules } from "../symbol-rules.ts";

export const gdscript: SymbolRules = {
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
    (comment) @comment
  `,
  kind: ({ kind }, parent) => (kind === "variable" && parent ? "field" : kind),
};
