import type { Node } from "web-tree-sitter";
import type { FoundSymbol, SymbolRules } from "../symbol-rules.ts";
import { withoutMacros } from "./macros.ts";

/** What holds for C, and for C++ too. */
export const declarationQuery = `
  (function_definition declarator: (_) @name body: (_)? @inside) @function
  (type_definition type: (struct_specifier !name body: (_) @inside) declarator: (type_identifier) @name) @struct
  (type_definition type: (union_specifier !name body: (_) @inside) declarator: (type_identifier) @name) @union
  (type_definition type: (enum_specifier !name body: (_) @inside) declarator: (type_identifier) @name) @enum
  (type_definition declarator: (_) @name @type)
  (struct_specifier name: (_) @name body: (_) @inside) @struct
  (union_specifier name: (_) @name body: (_) @inside) @union
  (enum_specifier name: (_) @name body: (_) @inside) @enum
  (enumerator name: (_) @name) @variant
  (declaration declarator: (function_declarator declarator: (parenthesized_declarator)) @name @variable)
  (declaration declarator: [
    (function_declarator)
    (pointer_declarator declarator: (function_declarator declarator: (identifier)))
    (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier))))
  ] @name @function)
  (declaration declarator: (_) @name @variable)
  (preproc_def name: (_) @name) @macro
  (preproc_function_def name: (_) @name value: (_)? @body) @macro
  (type_definition type: (_ name: (_) body: (_)) @inner) @outer
  (type_definition declarator: (_) @inner) @outer
  (declaration type: (_ name: (_) body: (_)) @inner) @outer
  (declaration declarator: (_) @inner) @outer
  (field_declaration type: (_ name: (_) body: (_)) @inner) @outer
  (field_declaration declarator: (_) @inner) @outer
  (comment) @comment
`;

export const c: SymbolRules = {
  query: `${declarationQuery}
    (field_declaration declarator: (_) @name @field)
  `,
  nameNode: nameInDeclarator,
  respell: withoutMacros,
  terminator: ";",
  kind: (symbol, parent) => (isMisread(symbol, parent) ? undefined : symbol.kind),
};

/** Without macros expanded some declarations look like others: `EXPORT int f()` like a variable called int. */
export function isMisread({ kind, name, hasInside }: FoundSymbol, parent: FoundSymbol | undefined): boolean {
  if (
    /^(int|char|void|long|short|unsigned|signed|float|double|bool|struct|enum|union|if|for|while|switch|return|static|const)$/.test(
      name,
    )
  )
    return true;
  const isLocal = parent?.kind === "function" || parent?.kind === "method" || parent?.kind === "constructor";
  return isLocal && kind === "function" && !hasInside;
}

/** `*(*name)[3]`: the name is what the declarator holds at the innermost. */
export function nameInDeclarator(captured: Node): Node {
  let node = captured;
  for (;;) {
    if (node.type === "operator_cast") return node;
    const inner: Node | null = node.childForFieldName("declarator") ?? unnamedInner(node);
    if (!inner) return node;
    node = inner;
  }
}

/** Some hold the next without naming it. */
function unnamedInner(node: Node): Node | null {
  return holdingOne.has(node.type) ? node.namedChild(node.namedChildCount - 1) : null;
}

const holdingOne: ReadonlySet<string> = new Set([
  "parenthesized_declarator",
  "reference_declarator",
  "variadic_declarator",
  "attributed_declarator",
]);
