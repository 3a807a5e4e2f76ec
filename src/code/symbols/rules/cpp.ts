import type { SymbolRules } from "../symbol-rules.ts";
import { declarationQuery, declaredKind, isMisread, nameInDeclarator } from "./c.ts";
import { withoutMacros } from "./macros.ts";

export const cpp: SymbolRules = {
  query: `
    ${declarationQuery}
    (class_specifier name: (_) @name body: (_) @inside) @class
    (namespace_definition name: (_) @name body: (_) @inside) @module
    (alias_declaration name: (_) @name) @type
    (concept_definition name: (_) @name) @type
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
  // `operator bool() const`: of a conversion the grammar gives all of it.
  name: (written) => written.replace(/(\boperator\s+[^\s(].*?)\s*\(\s*\)[^()]*$/s, "$1"),
  respell: withoutMacros,
  lastWordAt,
  terminator: ";",
  kind(symbol, parent) {
    if (isMisread(symbol, parent)) return undefined;
    if (symbol.kind !== "function" && symbol.kind !== "method") return symbol.kind;
    const path = symbol.name.replace(/<[^<>]*>/g, "").split("::");
    const owner = path.at(-2) ?? (symbol.kind === "method" ? parent?.name.replace(/<.*/, "") : undefined);
    if (owner !== undefined && path.at(-1) === owner) return "constructor";
    return path.length > 1 ? "method" : symbol.kind;
  },
};

/** After the last `::` that is not between angle brackets. */
function lastWordAt(written: string): number {
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
