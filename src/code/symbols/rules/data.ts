import { nestHeadings, onePerNode, withoutTrailingComments } from "../arrange-pieces.ts";
import type { Pieces } from "../gather-pieces.ts";
import type { SymbolRulesTable } from "../symbol-rules.ts";

const tomlKey = "[(bare_key) (dotted_key) (quoted_key)] @name";

const graphqlDefinition = (node: string, kind: string, inside?: string) =>
  `(${node} (description (string_value) @doc)? (name) @name ${inside ? `(${inside})? @inside` : ""}) @${kind}`;
const graphqlExtension = (node: string, inside: string) =>
  `(${node} (name) @name (${inside})? @inside) @impl`;

export const dataRules: SymbolRulesTable = {
  json: {
    query: `
      (pair key: (string) @name value: [(object) (array)] @inside) @key
      (pair key: (string) @name) @key
    `,
    name: (written) => written.slice(1, -1),
    most: 2000,
  },
  yaml: {
    query: `
      (block_mapping_pair key: (flow_node) @name value: [
        (block_node [(block_mapping) (block_sequence)] @inside)
        (flow_node [(flow_mapping) (flow_sequence)] @inside)]) @key
      (block_mapping_pair key: (flow_node) @name) @key
      (flow_pair key: (flow_node) @name value: (flow_node [(flow_mapping) (flow_sequence)] @inside)) @key
      (flow_pair key: (flow_node) @name) @key
    `,
    name: (written) => written.replace(/^(["'])(.*)\1$/, "$2"),
    kind: ({ kind, name }) => (name === "<<" ? undefined : kind),
    arrange: withoutTrailingComments,
    most: 2000,
  },
  toml: {
    query: `
      (table . "[" . ${tomlKey} . "]" @open) @key
      (table_array_element . "[[" . ${tomlKey} . "]]" @open) @key
      (pair . ${tomlKey} [(inline_table) (array)] @inside) @key
      (pair . ${tomlKey}) @key
    `,
    name: (written) => written.replace(/^(["'])(.*)\1$/, "$2"),
    arrange: withoutTrailingComments,
    most: 2000,
  },
  ini: {
    query: `
      (section (section_name (text) @name) @open) @key
      (setting (setting_name) @name) @key
    `,
    name: (written) => written.trim(),
    arrange: withoutTrailingComments,
    most: 2000,
  },
  xml: {
    query: `
      (element (STag (Name) @name) @open (ETag) @close) @element
      (element (EmptyElemTag (Name) @name)) @element
    `,
    most: 2000,
  },
  /** A block is named by its labels, else by its keyword. */
  terraform: {
    query: `
      (block . (identifier) . [(string_lit) (identifier)]+ @name . (block_start) @open (block_end) @close) @key
      (block . (identifier) @name . (block_start) @open (block_end) @close) @key
      (attribute (identifier) @name) @key
    `,
    name: (written) => written.replace(/" "/g, ".").replace(/^"|"$/g, ""),
    most: 5000,
  },
  nix: {
    query: `
      (binding attrpath: (_) @name expression: (function_expression body: (_) @body)) @function
      (binding attrpath: (_) @name expression: (attrset_expression) @inside) @key
      (binding attrpath: (_) @name) @key
    `,
    name: (written) => written.replace(/^"(.*)"$/, "$1"),
    most: 5000,
  },
  sql: {
    query: `
      (create_table . (_)* . (object_reference) @name (column_definitions)? @inside) @table
      (create_view|create_materialized_view . (_)* . (object_reference) @name (create_query)? @body) @table
      (create_function . (_)* . (object_reference) @name . (function_arguments) (function_body)? @body) @function
      (create_trigger (keyword_trigger) . (object_reference) @name) @rule
      (create_index column: (_) @name . (keyword_on)) @key
      (create_type . (_)* . (object_reference) @name . (keyword_as) . (keyword_enum) (enum_elements)? @inside) @enum
      (create_type . (_)* . (object_reference) @name (column_definitions)? @inside) @type
      (enum_elements enum_element: (_) @name @variant)
      (create_sequence . (_)* . (object_reference) @name) @variable
      (create_schema|create_database (identifier) @name) @module
      (column_definitions (column_definition name: (_) @name) @field)
      [(comment) (marginalia)] @comment
    `,
    name: (written) => written.replace(/^(["'`])(.*)\1$/, "$2"),
    terminator: ";",
    most: 5000,
  },
  prisma: {
    query: `
      (model_declaration (identifier) @name (statement_block) @inside) @table
      (type_declaration (identifier) @name (statement_block) @inside) @type
      (datasource_declaration (identifier) @name (statement_block) @inside) @key
      (generator_declaration (identifier) @name (statement_block) @inside) @key
      (enum_declaration (identifier) @name (enum_block) @inside) @enum
      (column_declaration . (identifier) @name) @field
      (enumeral . (identifier) @name) @variant
      [(comment) (developer_comment)] @comment
    `,
  },
  graphql: {
    query: `
      ${graphqlDefinition("object_type_definition", "class", "fields_definition")}
      ${graphqlExtension("object_type_extension", "fields_definition")}
      ${graphqlDefinition("interface_type_definition", "interface", "fields_definition")}
      ${graphqlExtension("interface_type_extension", "fields_definition")}
      ${graphqlDefinition("input_object_type_definition", "struct", "input_fields_definition")}
      ${graphqlExtension("input_object_type_extension", "input_fields_definition")}
      ${graphqlDefinition("enum_type_definition", "enum", "enum_values_definition")}
      ${graphqlDefinition("union_type_definition", "union")}
      ${graphqlDefinition("scalar_type_definition", "type")}
      ${graphqlDefinition("directive_definition", "macro")}
      ${graphqlDefinition("field_definition", "field")}
      (input_fields_definition (input_value_definition (description (string_value) @doc)? (name) @name) @field)
      (enum_value_definition (description (string_value) @doc)? (enum_value (name) @name)) @variant
      (operation_definition (name) @name (selection_set) @inside) @function
      (fragment_definition (fragment_name (name) @name) (selection_set) @inside) @function
      (description) @attribute
    `,
  },
  proto: {
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
    `,
  },
  make: {
    query: `
      (rule (targets) @name (recipe)? @inside) @rule
      (define_directive name: (_) @name) @macro
      (variable_assignment name: (_) @name) @variable
      [(override_directive (variable_assignment) @inner) (export_directive (variable_assignment) @inner)] @outer
    `,
    kind: ({ kind, name }) => (kind === "rule" && /^\.[A-Z]/.test(name) ? undefined : kind),
  },
  cmake: {
    query: `
      (function_def (function_command (argument_list . (argument) @name)) @open (endfunction_command) @close) @function
      (macro_def (macro_command (argument_list . (argument) @name)) @open (endmacro_command) @close) @macro
      (normal_command (identifier) @_word (#any-of? @_word "project") (argument_list . (argument) @name)) @module
      (normal_command (identifier) @_word (#any-of? @_word "add_executable" "add_library" "add_custom_target")
        (argument_list . (argument) @name)) @rule
      (normal_command (identifier) @_word (#any-of? @_word "set" "option") (argument_list . (argument) @name)) @variable
    `,
    kind: ({ kind }, parent) => (kind === "variable" && parent ? undefined : kind),
  },
  just: {
    query: `
      (recipe (recipe_header name: (_) @name) (recipe_body)? @inside) @rule
      (assignment left: (_) @name) @variable
      (export (assignment) @inner) @outer
      (alias left: (_) @name) @macro
      (attribute) @attribute
    `,
  },
  dockerfile: {
    query: `
      (from_instruction as: (_) @name) @module
      (from_instruction (image_spec) @name) @module
    `,
    arrange: dockerStages,
  },
};

/** Extends each stage to the next `FROM`. */
function dockerStages(pieces: Pieces, text: string): Pieces {
  return withoutTrailingComments(nestHeadings(() => 1)(onePerNode(pieces), text), text);
}
