import type { SymbolRules } from "../symbol-rules.ts";

const definition = (node: string, kind: string, inside?: string) =>
  `(${node} (description (string_value) @doc)? (name) @name ${inside ? `(${inside})? @inside` : ""}) @${kind}`;
const extension = (node: string, inside: string) => `(${node} (name) @name (${inside})? @inside) @impl`;

export const graphql: SymbolRules = {
  query: `
    ${definition("object_type_definition", "class", "fields_definition")}
    ${extension("object_type_extension", "fields_definition")}
    ${definition("interface_type_definition", "interface", "fields_definition")}
    ${extension("interface_type_extension", "fields_definition")}
    ${definition("input_object_type_definition", "struct", "input_fields_definition")}
    ${extension("input_object_type_extension", "input_fields_definition")}
    ${definition("enum_type_definition", "enum", "enum_values_definition")}
    ${definition("union_type_definition", "union")}
    ${definition("scalar_type_definition", "type")}
    ${definition("directive_definition", "macro")}
    ${definition("field_definition", "field")}
    (input_fields_definition (input_value_definition (description (string_value) @doc)? (name) @name) @field)
    (enum_value_definition (description (string_value) @doc)? (enum_value (name) @name)) @variant
    (operation_definition (name) @name (selection_set) @inside) @function
    (fragment_definition (fragment_name (name) @name) (selection_set) @inside) @function
    (description) @attribute
    (comment) @comment
  `,
};
