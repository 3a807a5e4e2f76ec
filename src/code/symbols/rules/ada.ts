import type { SymbolRules } from "../symbol-rules.ts";

export const ada: SymbolRules = {
  query: `
    (package_declaration name: (_) @name "is" @open "end" @close) @module
    (package_body name: (_) @name "is" @open "end" @close) @module
    (generic_package_declaration (package_declaration name: (_) @name "is" @open "end" @close)) @module
    (subprogram_body [(procedure_specification name: (_) @name) (function_specification name: (_) @name)]
      "is" @open "end" @close) @function
    (subprogram_declaration [(procedure_specification name: (_) @name) (function_specification name: (_) @name)])
      @function
    (expression_function_declaration (function_specification name: (_) @name)) @function
    (full_type_declaration . (identifier) @name (enumeration_type_definition) @inside) @enum
    (full_type_declaration . (identifier) @name (record_type_definition) @body) @struct
    (full_type_declaration . (identifier) @name) @type
    (full_type_declaration (task_type_declaration (identifier) @name)) @class
    (private_type_declaration . (identifier) @name) @type
    (private_extension_declaration . (identifier) @name) @type
    (subtype_declaration . (identifier) @name) @type
    (enumeration_type_definition (identifier) @name @variant)
    (component_declaration . (identifier) @name) @field
    (protected_body . (identifier) @name) @class
    (task_body . (identifier) @name) @class
    (entry_declaration entry_name: (_) @name) @method
    (exception_declaration . (identifier) @name) @type
    (object_declaration name: (_) @name "constant") @constant
    (object_declaration name: (_) @name) @variable
    (comment) @comment
  `,
  name: (written) => written.replace(/^"(.*)"$/, "$1"),
};
