import type { SymbolRules } from "../symbol-rules.ts";

export const groovy: SymbolRules = {
  query: `
    (class_definition "interface" name: (_) @name body: (_) @inside) @interface
    (class_definition name: (_) @name body: (_) @inside) @class
    (function_definition function: (_) @name body: (_) @inside) @function
    (function_declaration function: (_) @name) @function
    (source_file (declaration name: (_) @name) @variable)
    (class_definition body: (closure (declaration name: (_) @name) @field))
    (annotation) @attribute
    [(comment) (groovy_doc)] @comment
  `,
};
