import type { SymbolRules } from "../symbol-rules.ts";

export const solidity: SymbolRules = {
  query: `
    (contract_declaration name: (_) @name body: (_) @inside) @class
    (interface_declaration name: (_) @name body: (_) @inside) @interface
    (library_declaration name: (_) @name body: (_) @inside) @class
    (struct_declaration name: (_) @name body: (_) @inside) @struct
    (struct_member name: (_) @name) @field
    (enum_declaration name: (_) @name body: (_) @inside) @enum
    (enum_value) @variant
    (event_definition name: (_) @name) @type
    (error_declaration name: (_) @name) @type
    (user_defined_type_definition name: (_) @name) @type
    (modifier_definition name: (_) @name body: (_)? @inside) @function
    (constructor_definition "constructor" @name body: (_)? @inside) @constructor
    (fallback_receive_definition ["fallback" "receive"] @name body: (_)? @inside) @function
    (function_definition name: (_) @name body: (_)? @inside) @function
    (state_variable_declaration name: (_) @name) @field
    (constant_variable_declaration name: (_) @name) @constant
    (comment) @comment
  `,
};
