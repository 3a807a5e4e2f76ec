import type { FoundSymbol, SymbolRules } from "../symbol-rules.ts";

/** What holds for JavaScript, and for TypeScript too. */
export const scriptQuery = `
  (export_statement "default" @name value: [
    (function_expression !name body: (_) @inside)
    (generator_function !name body: (_) @inside)
    (arrow_function body: (_) @inside)
  ]) @function
  (export_statement "default" @name value: (class !name body: (_) @inside)) @class
  (function_declaration name: (_) @name body: (_) @inside) @function
  (generator_function_declaration name: (_) @name body: (_) @inside) @function
  (class_declaration name: (_) @name body: (_) @inside) @class
  (class name: (_) @name body: (_) @inside) @class
  (return_statement (function_expression name: (_) @name body: (_) @inside) @function)
  (arguments (function_expression name: (_) @name body: (_) @inside) @function)
  (class_body (method_definition name: (property_identifier) @name) @constructor @bodied
    (#eq? @name "constructor"))
  (method_definition name: (_) @name) @method @bodied
  (pair key: (_) @name value: [(function_expression) (generator_function) (arrow_function)] @bodied) @method
  (variable_declarator name: (identifier) @name value: [(function_expression) (generator_function) (arrow_function)] @bodied) @function
  (variable_declarator name: (identifier) @name value: (class) @bodied) @class
  (lexical_declaration kind: "const" (variable_declarator name: (identifier) @name value: (object) @inside) @constant)
  (lexical_declaration kind: "const" (variable_declarator name: (identifier) @name) @constant)
  (variable_declarator name: (identifier) @name value: (object) @inside) @variable
  (variable_declarator name: (identifier) @name) @variable
  (assignment_expression left: (member_expression property: (_) @name) right: [(function_expression) (generator_function) (arrow_function)] @bodied) @function
  (assignment_expression left: (member_expression property: (_) @name) right: (class) @bodied) @class
  (assignment_expression left: (identifier) @name right: [(function_expression) (generator_function) (arrow_function)] @bodied) @function
  [
    (function_expression)
    (generator_function)
    (arrow_function)
    (class_static_block)
    (for_statement)
    (if_statement)
    (try_statement)
    (while_statement)
  ] @scope
  (export_statement declaration: (_) @inner) @outer
  (lexical_declaration (variable_declarator) @inner) @outer
  (variable_declaration (variable_declarator) @inner) @outer
  (expression_statement . (assignment_expression) @inner) @outer
  (decorator) @attribute
  (comment) @comment
`;

export const javascript: SymbolRules = {
  query: `${scriptQuery}
    (field_definition property: (_) @name value: [(function_expression) (generator_function) (arrow_function)] @bodied) @method
    (field_definition property: (_) @name) @field
  `,
  name: withoutQuotes,
  terminator: ";",
  kind: (symbol, parent) => (isSecondName(symbol, parent) ? undefined : symbol.kind),
};

/** `const Name = class Inner {}`: a class lies right in a class only where it is the same one. */
export function isSecondName({ kind }: FoundSymbol, parent: FoundSymbol | undefined): boolean {
  return kind === "class" && parent?.kind === "class";
}

/** A name may be a string: `declare module "x"`, `{ "on-click"() {} }`. */
export function withoutQuotes(written: string): string {
  return /^(["'`]).*\1$/.test(written) ? written.slice(1, -1) : written;
}
