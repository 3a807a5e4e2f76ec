import { blankOut } from "../second-reading.ts";
import type { SymbolRules } from "../symbol-rules.ts";
import { isSecondName, scriptQuery, withoutQuotes } from "./javascript.ts";

export const typescript: SymbolRules = {
  query: `${scriptQuery}
    (function_signature name: (_) @name) @function
    (abstract_class_declaration name: (_) @name body: (_) @inside) @class
    (public_field_definition name: (_) @name value: [(function_expression) (generator_function) (arrow_function)] @bodied) @method
    (public_field_definition name: (_) @name) @field
    (required_parameter (accessibility_modifier) pattern: (identifier) @name) @field
    (class_body (method_signature name: (property_identifier) @name) @constructor (#eq? @name "constructor"))
    (method_signature name: (_) @name) @method
    (abstract_method_signature name: (_) @name) @method
    (interface_declaration name: (_) @name body: (_) @inside) @interface
    (property_signature name: (_) @name) @property
    (type_alias_declaration name: (_) @name value: (object_type) @inside) @type
    (type_alias_declaration name: (_) @name) @type
    (enum_declaration name: (_) @name body: (_) @inside) @enum
    (enum_assignment name: (_) @name) @variant
    (enum_body name: (_) @name @variant)
    (internal_module name: (_) @name body: (_)? @inside) @module
    (module name: (_) @name body: (_)? @inside) @module
    (ambient_declaration "global" @name (statement_block) @inside) @module
    (ambient_declaration [(module) (internal_module) (function_signature) (enum_declaration) (lexical_declaration)
      (variable_declaration) (class_declaration) (abstract_class_declaration) (interface_declaration)
      (type_alias_declaration)] @inner) @outer
    (expression_statement . (internal_module) @inner .) @outer
  `,
  respell,
  name: withoutQuotes,
  terminator: ";",
  /** Members of a type that has no name are no symbols. */
  kind(symbol, parent) {
    if (isSecondName(symbol, parent)) return undefined;
    const { kind, hasInside } = symbol;
    const isMember = kind === "property" || (kind === "method" && !hasInside);
    return isMember && !(parent && holdingMembers.has(parent.kind)) ? undefined : kind;
  },
};

const holdingMembers: ReadonlySet<string> = new Set(["interface", "type", "class"]);

/**
 * What the grammar does not know: which way a type parameter goes, that one may be called `type`, and that a signature ends
 * where the next begins with `<`.
 */
function respell(text: string): string {
  return blankOut(text, /(?<=[<,]\s*)\b(?:in\s+out|in|out)\s+(?=[\p{L}_$])/gu)
    .replace(/(?<=[(|&?:=]\s*)\btype(?=\s+extends\b)/g, "Type")
    .replace(/(?<=[\w>)\]}][ \t]*)\n(?=\s*(?:\/\*(?:[^*]|\*(?!\/))*\*\/\s*)*<[A-Za-z])/g, ";");
}
