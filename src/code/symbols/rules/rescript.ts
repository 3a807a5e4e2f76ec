import type { SymbolRules } from "../symbol-rules.ts";

const bindings = (open: string, close: string) => `
    ${open}(let_declaration (let_binding pattern: (value_identifier) @name body: (function body: (_) @body)) @function)${close}
    ${open}(let_declaration (let_binding pattern: (value_identifier) @name) @variable)${close}
    ${open}(let_declaration (let_binding) @inner) @outer${close}`;

export const rescript: SymbolRules = {
  query: `
    ${bindings("(source_file ", ")")}
    ${bindings("(module_binding definition: (block ", "))")}
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
    [(line_comment) (block_comment)] @comment
  `,
};
