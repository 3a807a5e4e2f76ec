import { oneANode } from "../one-a-node.ts";
import type { SymbolRules } from "../symbol-rules.ts";

/** An object is named by its id, else by its type. */
export const qml: SymbolRules = {
  query: `
    (ui_object_definition initializer: (ui_object_initializer (ui_binding name: (identifier) @_id (#eq? @_id "id")
      value: (expression_statement (identifier) @name))) @inside) @element
    (ui_object_definition type_name: (_) @name initializer: (_) @inside) @element
    (ui_property name: (_) @name) @property
    (ui_signal name: (_) @name) @method
    (function_declaration name: (_) @name body: (_) @inside) @method
    (comment) @comment
  `,
  arrange: oneANode,
};
