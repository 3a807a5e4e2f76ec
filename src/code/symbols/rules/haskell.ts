import { joinClauses } from "../join-clauses.ts";
import type { SymbolRules } from "../symbol-rules.ts";

/** What may stand in a module, a class or an instance, but is local elsewhere. */
const equations = (holder: string) => `
    (${holder} (signature name: [(variable) @name (prefix_id (_) @name)]) @function)
    (${holder} (function name: [(variable) @name (prefix_id (_) @name)] match: (_) @body) @function)
    (${holder} (function (infix operator: [(operator) @name (infix_id (_) @name)]) match: (_) @body) @function)
    (${holder} (bind name: [(variable) @name (prefix_id (_) @name)] match: (_) @body) @function)`;

export const haskell: SymbolRules = {
  query: `
    (header module: (_) @name) @module
    (data_type name: (_) @name constructors: (_)? @body) @type
    (newtype name: (_) @name) @type
    (type_synomym name: (_) @name) @type
    (type_family name: (_) @name) @type
    (data_family name: (_) @name) @type
    (data_constructor [(record name: (_) @name) (prefix name: (_) @name) (infix operator: (_) @name)]) @variant
    (newtype_constructor name: (_) @name) @variant
    (gadt_constructor name: (_) @name) @variant
    (gadt_constructor names: (binding_list name: (_) @name @variant))
    (field name: (field_name (_) @name @field))
    (field name: (field_name (_) @inner)) @outer
    (class name: (_) @name declarations: (_)? @inside) @class
    (instance name: (_) @name patterns: (_)? @name declarations: (_)? @inside) @impl
    (deriving_instance name: (_) @name patterns: (_)? @name) @impl
    (class_declarations (signature names: (binding_list name: (_) @name @function)))
    (foreign_import signature: (signature name: (_) @name)) @function
    ${["declarations", "class_declarations", "instance_declarations"].map(equations).join("\n")}
    [(comment) (haddock) (pragma)] @comment
  `,
  kind: ({ kind }, parent) => (kind === "function" && parent?.kind === "class" ? "method" : kind),
  unrelatedComment: /^(\{-#|--\s*\^|\{-\s*\^)/,
  arrange: joinClauses,
};
