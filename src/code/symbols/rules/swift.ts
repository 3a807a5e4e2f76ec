import type { SymbolRules } from "../symbol-rules.ts";

export const swift: SymbolRules = {
  query: `
    (class_declaration "struct" . name: (_) @name body: (_) @inside) @struct
    (class_declaration "enum" . name: (_) @name body: (_) @inside) @enum
    (class_declaration "extension" . name: (_) @name body: (_) @inside) @impl
    (class_declaration ["class" "actor"] . name: (_) @name body: (_) @inside) @class
    (protocol_declaration name: (_) @name body: (_) @inside) @interface
    (enum_entry name: (simple_identifier) @name @variant)
    (enum_entry name: (simple_identifier) @inner) @outer
    (init_declaration "init" @name body: (_)? @inside) @constructor
    (deinit_declaration "deinit" @name body: (_)? @inside) @method
    (subscript_declaration "subscript" @name (computed_property)? @inside) @method
    (function_declaration "func" . name: (_) @name body: (_)? @inside) @function
    (function_declaration name: ["==" "!=" "<" ">" "<=" ">=" "+" "-" "*" "/" "%" "~" "&" "|" "^"] @name body: (_)? @inside)
      @function
    (protocol_function_declaration "func" . name: (_) @name) @function
    (property_declaration (value_binding_pattern "let")
      name: (pattern bound_identifier: (_) @name) @constant computed_value: (_)? @inside)
    (property_declaration name: (pattern bound_identifier: (_) @name) @variable computed_value: (_)? @inside)
    (property_declaration name: (pattern) @inner) @outer
    (protocol_property_declaration name: (pattern bound_identifier: (_) @name)) @property
    (typealias_declaration "typealias" . name: (_) @name) @type
    (associatedtype_declaration "associatedtype" . name: (_) @name) @type
    [(lambda_literal) (computed_getter) (computed_setter) (willset_clause) (didset_clause)] @scope
    (attribute) @attribute
    [(comment) (multiline_comment)] @comment
  `,
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
