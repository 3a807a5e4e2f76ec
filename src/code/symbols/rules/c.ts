import type { Node } from "web-tree-sitter";
import type { SymbolKind } from "../../../contract/code.ts";
import type { FoundSymbol, SymbolRules } from "../symbol-rules.ts";
import { withoutMacros } from "./macros.ts";

/** What holds for C, and for C++ too. */
export const declarationQuery = `
  (function_definition declarator: (_) @name) @function @bodied
  (type_definition type: (struct_specifier !name body: (_) @inside) declarator: (type_identifier) @name) @struct
  (type_definition type: (union_specifier !name body: (_) @inside) declarator: (type_identifier) @name) @union
  (type_definition type: (enum_specifier !name body: (_) @inside) declarator: (type_identifier) @name) @enum
  (type_definition declarator: (_) @name @type)
  (struct_specifier name: (_) @name body: (_) @inside) @struct
  (union_specifier name: (_) @name body: (_) @inside) @union
  (enum_specifier name: (_) @name body: (_) @inside) @enum
  (enumerator name: (_) @name) @variant
  (declaration declarator: (_) @name @variable)
  (field_declaration declarator: (_) @name @field)
  (preproc_def name: (_) @name) @macro
  (preproc_function_def name: (_) @name value: (_)? @body) @macro
  (type_definition type: (_ name: (_) body: (_)) @inner) @outer
  (type_definition declarator: (_) @inner) @outer
  (declaration type: (_ name: (_) body: (_)) @inner) @outer
  (declaration declarator: (_) @inner) @outer
  (field_declaration type: (_ name: (_) body: (_)) @inner) @outer
  (field_declaration declarator: (_) @inner) @outer
  (ERROR) @scope
  (comment) @comment
`;

export const c: SymbolRules = {
  query: declarationQuery,
  nameNode: nameInDeclarator,
  declaredKind,
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
  // Without a name of its own a struct in a function is nobody's.
  if (kind === "field" && parent?.kind === "function") return true;
  const isLocal = parent?.kind === "function" || parent?.kind === "method" || parent?.kind === "constructor";
  return isLocal && kind === "function" && !hasInside;
}

/** A declarator says by its brackets whether it declares a function: `*f(int)`, not `(*f)(int)`. */
export function declaredKind(declarator: Node, kind: SymbolKind): SymbolKind {
  if (kind !== "variable" && kind !== "field") return kind;
  let isFunction = false;
  for (let node: Node | null = declarator; node; node = innerDeclarator(node)) {
    if (node.type === "operator_cast") return kind === "field" ? "method" : "function";
    if (node.type === "function_declarator") isFunction = true;
    else if (innerDeclarator(node)) isFunction = false;
  }
  if (!isFunction) return kind;
  return kind === "field" ? "method" : "function";
}

/** `*(*name)[3]`: the name is what the declarator holds at the innermost. */
export function nameInDeclarator(captured: Node): Node {
  let node = captured;
  for (let inner = innerDeclarator(node); inner; inner = innerDeclarator(node)) node = inner;
  return node;
}

function innerDeclarator(node: Node): Node | null {
  if (node.type === "operator_cast") return null;
  // Some hold the next without naming it.
  if (holdingOne.has(node.type)) return node.namedChild(node.namedChildCount - 1);
  return node.childForFieldName("declarator");
}

const holdingOne: ReadonlySet<string> = new Set([
  "parenthesized_declarator",
  "reference_declarator",
  "variadic_declarator",
  "attributed_declarator",
]);
