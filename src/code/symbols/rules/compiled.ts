import { blankOut } from "../second-reading.ts";
import type { SymbolRulesTable } from "../symbol-rules.ts";

/** In Dart's grammar, a signature and its body are siblings. */
const dartBody = `. (function_body (block)? @inside)? @last`;

const nimName = "name: [(identifier) @name (exported_symbol (_) @name) (accent_quoted) @name]";
const nimRoutine = (node: string, kind: string) => `
    (${node} ${nimName} (documentation_comment (comment_content) @doc)? body: (_)? @inside) @${kind}`;

export const compiledRules: SymbolRulesTable = {
  rust: {
    query: `
      (function_item name: (_) @name body: (_) @inside) @function
      (function_signature_item name: (_) @name) @function
      (struct_item name: (_) @name body: (field_declaration_list)? @inside) @struct
      (union_item name: (_) @name body: (_) @inside) @union
      (enum_item name: (_) @name body: (_) @inside) @enum
      (enum_variant name: (_) @name body: (field_declaration_list)? @inside) @variant
      (trait_item name: (_) @name body: (_) @inside) @trait
      (impl_item "!"? @name trait: (_)? @name type: (_) @name body: (_)? @inside) @impl
      (mod_item name: (_) @name body: (_)? @inside) @module
      (type_item|associated_type name: (_) @name) @type
      (macro_definition name: (_) @name . (macro_rule)? @body) @macro
      (const_item name: (identifier) @name) @constant
      (static_item name: (identifier) @name) @variable
      (field_declaration name: (_) @name) @field
      (attribute_item) @attribute
    `,
    unrelatedComment: /^(\/\/!|\/\*!)/,
    respell: respellRust,
  },
  go: {
    query: `
      (function_declaration name: (_) @name body: (_)? @inside) @function
      (method_declaration name: (_) @name body: (_)? @inside) @method
      (type_spec name: (_) @name type: (struct_type (field_declaration_list) @inside)) @struct
      (type_spec name: (_) @name type: (interface_type "{" @open "}" @close)) @interface
      (type_spec|type_alias name: (_) @name) @type
      (method_elem name: (_) @name) @method
      (field_declaration name: (_) @name) @field
      (field_declaration !name type: [
        (type_identifier) @name
        (qualified_type name: (_) @name)
        (generic_type type: (type_identifier) @name)
        (generic_type type: (qualified_type name: (_) @name))
      ]) @field
      (const_spec (identifier) @name) @constant
      (var_spec name: (identifier) @name value: (expression_list . (func_literal body: (_) @inside) .)) @function
      (var_spec name: (identifier) @name) @variable
      (func_literal) @scope
      (type_declaration [(type_spec) (type_alias)] @inner) @outer
      (const_declaration (const_spec) @inner) @outer
      (var_declaration|var_spec_list (var_spec) @inner) @outer
      (var_declaration (var_spec_list) @inner) @outer
    `,
    kind({ kind, name }, parent) {
      if (name === "_" && !isGoFunction(kind)) return undefined;
      // Fields of an anonymous struct, such as a table of test cases, are not symbols.
      if (kind === "field" && parent && isGoFunction(parent.kind)) return undefined;
      return kind;
    },
  },
  zig: {
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
    `,
    kind({ kind, name }, parent) {
      if (name === "") return undefined;
      return kind === "field" && parent?.kind === "enum" ? "variant" : kind;
    },
    unrelatedComment: /^\/\/!/,
  },
  swift: {
    query: `
      (class_declaration "struct") @name @struct @bodied
      (class_declaration "enum") @name @enum @bodied
      (class_declaration "extension") @name @impl @bodied
      (class_declaration ["class" "actor"]) @name @class @bodied
      (protocol_declaration) @name @interface @bodied
      (enum_entry name: (simple_identifier) @name @variant)
      (enum_entry name: (simple_identifier) @inner) @outer
      (init_declaration "init" @name) @constructor @bodied
      (deinit_declaration "deinit" @name) @method @bodied
      (subscript_declaration "subscript" @name (computed_property)? @inside) @method
      (function_declaration) @name @function @bodied
      (protocol_function_declaration) @name @function
      (property_declaration (value_binding_pattern "let")
        name: (pattern bound_identifier: (_) @name) @constant computed_value: (_)? @inside)
      (property_declaration name: (pattern bound_identifier: (_) @name) @variable computed_value: (_)? @inside)
      (property_declaration name: (pattern) @inner) @outer
      (protocol_property_declaration name: (pattern bound_identifier: (_) @name)) @property
      (typealias_declaration) @name @type
      (associatedtype_declaration) @name @type
      [(lambda_literal) (computed_getter) (computed_setter) (willset_clause) (didset_clause)] @scope
      (attribute) @attribute
    `,
    // The type of a declaration also has the field "name", but after the declared name.
    nameNode: (captured) => captured.childForFieldName("name") ?? captured,
    kind({ kind }, parent) {
      if (kind === "variable" || kind === "constant") return parent ? swiftMemberKind(parent.kind) : kind;
      return kind;
    },
    unrelatedComment: /^\/\/\s*(MARK|swiftlint|sourcery)\b/,
    terminator: ";",
  },
  dart: {
    query: `
      (class_definition|extension_type_declaration name: (_) @name body: (_) @inside) @class
      (class_definition (mixin_application_class . (identifier) @name)) @class
      (mixin_declaration (identifier) @name (class_body) @inside) @trait
      (enum_declaration name: (_) @name body: (_) @inside) @enum
      (enum_constant name: (_) @name) @variant
      (extension_declaration name: (_) @name body: (_) @inside) @impl
      ((method_signature (constructor_signature . name: (_) @name . "." . name: (_) @name)) @constructor ${dartBody})
      ((method_signature (constructor_signature . name: (_) @name)) @constructor ${dartBody})
      ((method_signature (factory_constructor_signature "factory" . (_) @name . "." . (_) @name)) @constructor ${dartBody})
      ((method_signature (factory_constructor_signature "factory" . (_) @name)) @constructor ${dartBody})
      ((method_signature (function_signature name: (_) @name)) @method ${dartBody})
      ((method_signature (getter_signature name: (_) @name)) @property ${dartBody})
      ((method_signature (setter_signature name: (_) @name)) @property ${dartBody})
      ((method_signature (operator_signature "operator" . _ @name)) @method ${dartBody})
      (declaration [(constructor_signature . name: (_) @name . "." . name: (_) @name)
        (constant_constructor_signature (const_builtin) . (_) @name . "." . (_) @name)
        (redirecting_factory_constructor_signature "factory" . (_) @name . "." . (_) @name)]) @constructor
      (declaration [(constructor_signature . name: (_) @name)
        (constant_constructor_signature (const_builtin) . (_) @name)
        (redirecting_factory_constructor_signature "factory" . (_) @name)]) @constructor
      (declaration (function_signature name: (_) @name)) @method
      (declaration (getter_signature name: (_) @name)) @property
      (declaration (setter_signature name: (_) @name)) @property
      (declaration (operator_signature "operator" . _ @name)) @method
      (declaration [
        (initialized_identifier_list (initialized_identifier . (identifier) @name) @field)
        (static_final_declaration_list (static_final_declaration . (identifier) @name) @field)])
      (declaration [
        (initialized_identifier_list (initialized_identifier) @inner)
        (static_final_declaration_list (static_final_declaration) @inner)]) @outer
      (local_function_declaration (lambda_expression
        parameters: (function_signature name: (_) @name) body: (function_body (block)? @inside))) @function
      (program (function_signature name: (_) @name) @function ${dartBody})
      (program (getter_signature name: (_) @name) @variable ${dartBody})
      (program (setter_signature name: (_) @name) @variable ${dartBody})
      (program [(const_builtin) (final_builtin) (inferred_type)] @first
        . [(type_identifier) (type_arguments) (nullable_type) (function_type)]*
        . [(static_final_declaration_list . (static_final_declaration . (identifier) @name) .)
          (initialized_identifier_list . (initialized_identifier . (identifier) @name) .)] @variable)
      (program [
        (static_final_declaration_list (static_final_declaration . (identifier) @name) @variable)
        (initialized_identifier_list (initialized_identifier . (identifier) @name) @variable)])
      (type_alias "typedef" . (type_identifier) @name . "=") @type
      (type_alias (type_identifier) @name . (formal_parameter_list)) @type
      (annotation) @attribute
    `,
    terminator: ";",
  },
  d: {
    query: `
      (module_declaration (module_fqn) @name) @module
      (class_declaration (class) . (identifier) @name (aggregate_body)? @inside) @class
      (struct_declaration (struct) . (identifier) @name (aggregate_body)? @inside) @struct
      (union_declaration (union) . (identifier) @name (aggregate_body)? @inside) @union
      (interface_declaration (interface) . (identifier) @name (aggregate_body)? @inside) @interface
      (enum_declaration (enum) . (identifier) @name) @enum
      (enum_member . (identifier) @name) @variant
      (template_declaration (template) . (identifier) @name) @macro
      (mixin_template_declaration (template_declaration) @inner) @outer
      (destructor "~" @name (this) @name (function_body (block_statement) @inside)?) @method
      (constructor (this) @name (function_body (block_statement) @inside)?) @constructor
      (function_declaration (identifier) @name . [(parameters) (template_parameters)]
        (function_body (block_statement) @inside)?) @function
      (alias_declaration (alias_initializer . (identifier) @name)) @type
      (manifest_constant (manifest_declarator . (identifier) @name)) @constant
      (variable_declaration (declarator . (identifier) @name) @variable)
      (variable_declaration (declarator) @inner) @outer
      (auto_declaration variable: (identifier) @name) @variable
      [(unittest_declaration) (function_literal) (block_statement)] @scope
      (at_attribute) @attribute
    `,
    kind: ({ kind }, parent) => (kind === "variable" && parent && parent.kind !== "macro" ? "field" : kind),
    terminator: ";",
  },
  nim: {
    query: `
      ${["proc_declaration", "func_declaration", "iterator_declaration", "converter_declaration"]
        .map((node) => nimRoutine(node, "function"))
        .join("")}
      ${nimRoutine("method_declaration", "method")}
      ${["template_declaration", "macro_declaration"].map((node) => nimRoutine(node, "macro")).join("")}
      (type_declaration (type_symbol_declaration ${nimName}) (enum_declaration) @body) @enum
      (type_declaration (type_symbol_declaration ${nimName}) [
        (object_declaration) @body (ref_type (object_declaration)) @body]) @struct
      (type_declaration (type_symbol_declaration ${nimName})) @type
      (field_declaration (symbol_declaration_list (symbol_declaration ${nimName}) @field))
      (field_declaration (symbol_declaration_list (symbol_declaration) @inner)) @outer
      (enum_field_declaration (symbol_declaration ${nimName})) @variant
      (const_section (variable_declaration (symbol_declaration_list (symbol_declaration ${nimName}))) @constant)
      (let_section (variable_declaration (symbol_declaration_list (symbol_declaration ${nimName}))) @variable)
      (var_section (variable_declaration (symbol_declaration_list (symbol_declaration ${nimName}))) @variable)
      [(const_section (variable_declaration) @inner) (let_section (variable_declaration) @inner)
        (var_section (variable_declaration) @inner) (type_section (type_declaration) @inner)] @outer
      [(comment) (documentation_comment)] @comment
    `,
    name: (written) => written.replace(/^`(.*)`$/, "$1"),
  },
  ada: {
    query: `
      (package_declaration|package_body name: (_) @name "is" @open "end" @close) @module
      (generic_package_declaration (package_declaration name: (_) @name "is" @open "end" @close)) @module
      (subprogram_body [(procedure_specification name: (_) @name) (function_specification name: (_) @name)]
        "is" @open "end" @close) @function
      (subprogram_declaration [(procedure_specification name: (_) @name) (function_specification name: (_) @name)])
        @function
      (expression_function_declaration (function_specification name: (_) @name)) @function
      (full_type_declaration . (identifier) @name (enumeration_type_definition) @inside) @enum
      (full_type_declaration . (identifier) @name (record_type_definition) @body) @struct
      (full_type_declaration|private_type_declaration|private_extension_declaration . (identifier) @name) @type
      (full_type_declaration (task_type_declaration (identifier) @name)) @class
      (subtype_declaration|exception_declaration . (identifier) @name) @type
      (enumeration_type_definition (identifier) @name @variant)
      (component_declaration . (identifier) @name) @field
      (protected_body|task_body . (identifier) @name) @class
      (entry_declaration entry_name: (_) @name) @method
      (object_declaration name: (_) @name "constant") @constant
      (object_declaration name: (_) @name) @variable
    `,
    name: (written) => written.replace(/^"(.*)"$/, "$1"),
  },
  fortran: {
    query: `
      (module (module_statement (name) @name) @open (end_module_statement) @close) @module
      (submodule (submodule_statement (name) @name) @open (end_submodule_statement) @close) @module
      (program (program_statement (name) @name) @open (end_program_statement) @close) @module
      (subroutine (subroutine_statement name: (name) @name) @open (end_subroutine_statement) @close) @function
      (function (function_statement name: (name) @name) @open (end_function_statement) @close) @function
      (derived_type_definition (derived_type_statement (type_name) @name) @open (end_type_statement) @close) @struct
      (interface (interface_statement (name) @name) @open (end_interface_statement) @close) @interface
      (derived_type_procedures (procedure_statement declarator: [
        (binding (binding_name (_) @name)) (method_name) @name]) @method)
      (derived_type_definition (variable_declaration declarator: [(identifier) @name @field
        (init_declarator left: (identifier) @name) @field (sized_declarator . (identifier) @name) @field]))
      (module (variable_declaration declarator: [(identifier) @name @variable
        (init_declarator left: (identifier) @name) @variable (sized_declarator . (identifier) @name) @variable]))
      (variable_declaration declarator: (_) @inner) @outer
    `,
  },
  solidity: {
    query: `
      (contract_declaration|library_declaration name: (_) @name body: (_) @inside) @class
      (interface_declaration name: (_) @name body: (_) @inside) @interface
      (struct_declaration name: (_) @name body: (_) @inside) @struct
      (struct_member|state_variable_declaration name: (_) @name) @field
      (enum_declaration name: (_) @name body: (_) @inside) @enum
      (enum_value) @variant
      (event_definition|error_declaration|user_defined_type_definition name: (_) @name) @type
      (modifier_definition|function_definition name: (_) @name body: (_)? @inside) @function
      (constructor_definition "constructor" @name body: (_)? @inside) @constructor
      (fallback_receive_definition ["fallback" "receive"] @name body: (_)? @inside) @function
      (constant_variable_declaration name: (_) @name) @constant
    `,
  },
};

function isGoFunction(kind: string): boolean {
  return kind === "function" || kind === "method";
}

/** Returns the kind of a variable in a parent. A declaration in a computed property is local to it. */
function swiftMemberKind(parent: string): "property" | undefined {
  return parent === "property" || parent === "variable" ? undefined : "property";
}

/** Replaces what Rust has added since the grammar was written, most of it in the edition 2024. */
function respellRust(text: string): string {
  // unsafe extern "C" { safe fn f(); unsafe static S: u8; }
  return (
    blankOut(
      text,
      /\bunsafe(?=\s+extern\s*(?:"[^"\n]{0,40}"\s*)?\{)|\b(?:un)?safe(?=\s+static\b)|\bsafe(?=\s+fn\b)/g,
    )
      // #[unsafe(no_mangle)]
      .replace(/(?<=#!?\[\s{0,80})unsafe(?=\s*\()/g, "Unsafe")
      // async || 1, async move |x| x
      .replace(/\basync(?=\s*(?:move\s*)?\|)/g, "     ")
      // $value:expr_2021
      .replace(/(?<=:\s{0,80}expr)_2021\b/g, "     ")
      // 'r#async
      .replace(/'r#(?=[a-z_])/g, "'r_")
      // A variable, where the grammar expects &raw const or &raw mut: &raw[1..]
      .replace(/(?<=&\s{0,80})raw\b(?!\s+(?:const|mut)\b)/g, "Raw")
  );
}
