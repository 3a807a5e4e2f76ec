import type { SymbolRules } from "../symbol-rules.ts";

export const sql: SymbolRules = {
  query: `
    (create_table . (_)* . (object_reference) @name (column_definitions)? @inside) @table
    (create_view . (_)* . (object_reference) @name (create_query)? @body) @table
    (create_materialized_view . (_)* . (object_reference) @name (create_query)? @body) @table
    (create_function . (_)* . (object_reference) @name . (function_arguments) (function_body)? @body) @function
    (create_trigger (keyword_trigger) . (object_reference) @name) @rule
    (create_index column: (_) @name . (keyword_on)) @key
    (create_type . (_)* . (object_reference) @name . (keyword_as) . (keyword_enum) (enum_elements)? @inside) @enum
    (create_type . (_)* . (object_reference) @name (column_definitions)? @inside) @type
    (enum_elements enum_element: (_) @name @variant)
    (create_sequence . (_)* . (object_reference) @name) @variable
    (create_schema (identifier) @name) @module
    (create_database (identifier) @name) @module
    (column_definitions (column_definition name: (_) @name) @field)
    [(comment) (marginalia)] @comment
  `,
  name: (written) => written.replace(/^(["'`])(.*)\1$/, "$2"),
  terminator: ";",
  most: 5000,
};
