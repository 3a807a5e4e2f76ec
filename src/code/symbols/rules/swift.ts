import type { SymbolRules } from "../symbol-rules.ts";

export const swift: SymbolRules = {
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
    [(comment) (multiline_comment)] @comment
  `,
  // Types are in fields "name" too, but behind the name.
  nameNode: (captured) => captured.childForFieldName("name") ?? captured,
  kind({ kind }, parent) {
    if (kind === "variable" || kind === "constant") return parent ? memberKind(parent.kind) : kind;
    return kind;
  },
  unrelatedComment: /^\/\/\s*(MARK|swiftlint|sourcery)\b/,
  terminator: ";",
};

/** What is declared in a computed property is local to it. */
function memberKind(parent: string): "property" | undefined {
  return parent === "property" || parent === "variable" ? undefined : "property";
}
