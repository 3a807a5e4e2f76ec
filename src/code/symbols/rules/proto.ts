import type { SymbolRules } from "../symbol-rules.ts";

export const proto: SymbolRules = {
  query: `
    (package (full_ident) @name) @module
    (message (message_name) @name (message_body) @inside) @struct
    (enum (enum_name) @name (enum_body) @inside) @enum
    (enum_field . (identifier) @name) @variant
    (field (identifier) @name . "=") @field
    (map_field (identifier) @name . "=") @field
    (oneof_field (identifier) @name . "=") @field
    (oneof (identifier) @name "{" @open "}" @close) @union
    (service (service_name) @name "{" @open "}" @close) @interface
    (rpc (rpc_name) @name) @method
    (comment) @comment
  `,
};
