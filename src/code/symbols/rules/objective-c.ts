import type { SymbolRules } from "../symbol-rules.ts";
import { c, nameInDeclarator } from "./c.ts";

export const objectiveC: SymbolRules = {
  ...c,
  query: `
    (class_interface . (identifier) @name category: (identifier) @name) @class
    (class_interface . (identifier) @name (parameterized_arguments) @open "@end" @close) @class
    (class_interface . (identifier) @name superclass: (_) @open "@end" @close) @class
    (class_interface . (identifier) @name @open "@end" @close) @class
    (class_implementation . (identifier) @name category: (identifier) @name) @impl
    (class_implementation . (identifier) @name @open "@end" @close) @impl
    (protocol_declaration . (identifier) @name (protocol_reference_list) @open "@end" @close) @interface
    (protocol_declaration . (identifier) @name @open "@end" @close) @interface
    (property_declaration (struct_declaration (struct_declarator [(identifier) (pointer_declarator)] @name))) @property
    (method_declaration) @name @name @method
    (method_definition (compound_statement) @inside) @name @name @method
    (type_definition type: (macro_type_specifier) declarator: (_) @name @key)
    ${c.query}
  `,
  // What the grammar makes of NS_ENUM is no type.
  kind: (symbol, parent) =>
    symbol.kind === "key" || symbol.name === "" ? undefined : c.kind?.(symbol, parent),
  // Of a method all up to its end, of which `selector` makes its name.
  nameNode: (captured) =>
    captured.type.startsWith("method_")
      ? (captured.namedChildren.find((child) => child?.type === "identifier") ?? captured)
      : nameInDeclarator(captured),
  name: selector,
};

/** `initWithName:age:` of `initWithName:(NSString *)name age:(int)age`; `Agent (Private)` of a category. */
function selector(written: string): string {
  const name = written.replace(/\s*[{;].*$/, "").replace(/:\s*\((?:[^()]|\([^()]*\))*\)\s*\w+\s*/g, ":");
  return /\([^)]*$/.test(name) ? `${name})` : name;
}
