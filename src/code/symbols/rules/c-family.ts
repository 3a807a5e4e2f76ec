import type { Node } from "web-tree-sitter";
import type { SymbolKind } from "../../../contract/code.ts";
import type { FoundSymbol, SymbolRules, SymbolRulesTable } from "../symbol-rules.ts";
import { withoutMacros } from "./c-macros.ts";

const declarationQuery = `
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
  (type_definition|declaration|field_declaration type: (_ name: (_) body: (_)) @inner) @outer
  (type_definition|declaration|field_declaration declarator: (_) @inner) @outer
  (ERROR) @scope
`;

const c: SymbolRules = {
  query: declarationQuery,
  nameNode: nameInDeclarator,
  declaredKind,
  respell: withoutMacros,
  terminator: ";",
  kind: (symbol, parent) => (isMisread(symbol, parent) ? undefined : symbol.kind),
};

export const cFamilyRules: SymbolRulesTable = {
  c,
  cpp: {
    query: `
      ${declarationQuery}
      (class_specifier name: (_) @name body: (_) @inside) @class
      (namespace_definition name: (_) @name body: (_) @inside) @module
      (alias_declaration|concept_definition name: (_) @name) @type
      (lambda_expression) @scope
      (template_declaration [
        (class_specifier) (struct_specifier) (union_specifier) (function_definition) (declaration) (field_declaration)
        (alias_declaration) (concept_definition) (friend_declaration) (template_declaration)
      ] @inner) @outer
      (friend_declaration [(function_definition) (declaration)] @inner) @outer
      (linkage_specification body: [(function_definition) (declaration)] @inner) @outer
    `,
    nameNode: nameInDeclarator,
    declaredKind,
    // The grammar gives the whole conversion `operator bool() const` as its name.
    name: (written) => written.replace(/(\boperator\s+[^\s(].*?)\s*\(\s*\)[^()]*$/s, "$1"),
    respell: withoutMacros,
    lastWordAt: lastPartAt,
    terminator: ";",
    kind(symbol, parent) {
      if (isMisread(symbol, parent)) return undefined;
      if (symbol.kind !== "function" && symbol.kind !== "method") return symbol.kind;
      const path = symbol.name.replace(/<[^<>]*>/g, "").split("::");
      const owner = path.at(-2) ?? (symbol.kind === "method" ? parent?.name.replace(/<.*/, "") : undefined);
      if (owner !== undefined && path.at(-1) === owner) return "constructor";
      return path.length > 1 ? "method" : symbol.kind;
    },
  },
  "objective-c": {
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
    // The grammar reads NS_ENUM as a type.
    kind: (symbol, parent) =>
      symbol.kind === "key" || symbol.name === "" ? undefined : c.kind?.(symbol, parent),
    // A method is captured up to its end, and `selector` extracts its name.
    nameNode: (captured) =>
      captured.type.startsWith("method_")
        ? (captured.namedChildren.find((child) => child?.type === "identifier") ?? captured)
        : nameInDeclarator(captured),
    name: selector,
  },
};

/** Returns whether a macro makes a declaration look like another: `EXPORT int f()` like a variable int. */
function isMisread({ kind, name, hasInside }: FoundSymbol, parent: FoundSymbol | undefined): boolean {
  if (keyword.test(name)) return true;
  // Fields of an anonymous struct in a function belong to no symbol.
  if (kind === "field" && parent?.kind === "function") return true;
  const isLocal = parent?.kind === "function" || parent?.kind === "method" || parent?.kind === "constructor";
  return isLocal && kind === "function" && !hasInside;
}

const keyword =
  /^(int|char|void|long|short|unsigned|signed|float|double|bool|struct|enum|union|if|for|while|switch|return|static|const)$/;

/** Returns the declared kind. The brackets of a declarator show a function: `*f(int)`, not `(*f)(int)`. */
function declaredKind(declarator: Node, kind: SymbolKind): SymbolKind {
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

/** Returns the name in a declarator, which is its innermost part: `*(*name)[3]`. */
function nameInDeclarator(captured: Node): Node {
  let node = captured;
  for (let inner = innerDeclarator(node); inner; inner = innerDeclarator(node)) node = inner;
  return node;
}

function innerDeclarator(node: Node): Node | null {
  if (node.type === "operator_cast") return null;
  if (unnamedHolders.has(node.type)) return node.namedChild(node.namedChildCount - 1);
  return node.childForFieldName("declarator");
}

/** Declarators that contain the next one without a field name. */
const unnamedHolders: ReadonlySet<string> = new Set(
  "parenthesized_declarator reference_declarator variadic_declarator attributed_declarator".split(" "),
);

/** Returns the start of the part after the last `::` outside of angle brackets. */
function lastPartAt(written: string): number {
  const operator = written.lastIndexOf("operator");
  if (operator >= 0) return operator;
  let depth = 0;
  for (let at = written.length - 1; at > 0; at--) {
    if (written[at] === ">") depth++;
    else if (written[at] === "<") depth--;
    else if (depth === 0 && written[at] === ":")
      return at + 1 + Math.max(0, written.slice(at + 1).search(/\S/));
  }
  return 0;
}

/** Returns `initWithName:age:` for `initWithName:(NSString *)name age:(int)age`, `Agent (Private)` for a category. */
function selector(written: string): string {
  const name = written.replace(/\s*[{;].*$/, "").replace(/:\s*\((?:[^()]|\([^()]*\))*\)\s*\w+\s*/g, ":");
  return /\([^)]*$/.test(name) ? `${name})` : name;
}
