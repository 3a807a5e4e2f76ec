import { onePerNode } from "../arrange-pieces.ts";
import { blankOut } from "../second-reading.ts";
import type { FoundSymbol, SymbolRules, SymbolRulesTable } from "../symbol-rules.ts";

const scriptQuery = `
  (export_statement "default" @name value: [
    (function_expression !name body: (_) @inside)
    (generator_function !name body: (_) @inside)
    (arrow_function body: (_) @inside)
  ]) @function
  (export_statement "default" @name value: (class !name body: (_) @inside)) @class
  (function_declaration|generator_function_declaration name: (_) @name body: (_) @inside) @function
  (class_declaration|class name: (_) @name body: (_) @inside) @class
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
  (lexical_declaration|variable_declaration (variable_declarator) @inner) @outer
  (expression_statement . (assignment_expression) @inner) @outer
  (decorator) @attribute
`;

const htmlId = `(attribute (attribute_name) @_id (#eq? @_id "id")
        [(attribute_value) @name (quoted_attribute_value (attribute_value) @name)])`;

const html: SymbolRules = {
  query: `
    (element (start_tag (tag_name) @_tag (#match? @_tag "^[hH][1-6]$")) @open . (_)+ @name . (end_tag) @close) @heading
    (element (start_tag ${htmlId}) @open (end_tag) @close) @element
    (element [(start_tag ${htmlId}) (self_closing_tag ${htmlId})]) @element
    (element (start_tag (tag_name) @name (#match? @name "-")) @open (end_tag) @close) @element
    (element [(start_tag (tag_name) @name) (self_closing_tag (tag_name) @name)] (#match? @name "-")) @element
    (script_element|style_element (start_tag (tag_name) @name) @open (end_tag) @close) @element
  `,
  name: (written) =>
    written
      .replace(/<[^<>]*>/g, "")
      .replace(/\s+/g, " ")
      .trim()
      .slice(0, 120),
  kind: ({ kind, name }) => (name === "" ? undefined : kind),
  arrange: onePerNode,
  most: 5000,
};

export const webRules: SymbolRulesTable = {
  javascript: {
    query: `${scriptQuery}
      (field_definition property: (_) @name value: [(function_expression) (generator_function) (arrow_function)] @bodied) @method
      (field_definition property: (_) @name) @field
    `,
    name: withoutQuotes,
    terminator: ";",
    kind: (symbol, parent) => (isSecondName(symbol, parent) ? undefined : symbol.kind),
  },
  typescript: {
    query: `${scriptQuery}
      (function_signature name: (_) @name) @function
      (abstract_class_declaration name: (_) @name body: (_) @inside) @class
      (public_field_definition name: (_) @name value: [(function_expression) (generator_function) (arrow_function)] @bodied) @method
      (public_field_definition name: (_) @name) @field
      (required_parameter (accessibility_modifier) pattern: (identifier) @name) @field
      (class_body (method_signature name: (property_identifier) @name) @constructor (#eq? @name "constructor"))
      (method_signature|abstract_method_signature name: (_) @name) @method
      (interface_declaration name: (_) @name body: (_) @inside) @interface
      (property_signature name: (_) @name) @property
      (type_alias_declaration name: (_) @name value: (object_type) @inside) @type
      (type_alias_declaration name: (_) @name) @type
      (enum_declaration name: (_) @name body: (_) @inside) @enum
      (enum_assignment name: (_) @name) @variant
      (enum_body name: (_) @name @variant)
      (internal_module|module name: (_) @name body: (_)? @inside) @module
      (ambient_declaration "global" @name (statement_block) @inside) @module
      (ambient_declaration [(module) (internal_module) (function_signature) (enum_declaration) (lexical_declaration)
        (variable_declaration) (class_declaration) (abstract_class_declaration) (interface_declaration)
        (type_alias_declaration)] @inner) @outer
      (expression_statement . (internal_module) @inner .) @outer
    `,
    respell: respellTypescript,
    name: withoutQuotes,
    terminator: ";",
    // Members of an anonymous type are not symbols.
    kind(symbol, parent) {
      if (isSecondName(symbol, parent)) return undefined;
      const { kind, hasInside } = symbol;
      const isMember = kind === "property" || (kind === "method" && !hasInside);
      return isMember && !(parent && holdingMembers.has(parent.kind)) ? undefined : kind;
    },
  },
  html,
  vue: {
    ...html,
    query: `(template_element (start_tag (tag_name) @name) @open (end_tag) @close) @element ${html.query}`,
  },
  css: {
    query: `
      (rule_set (selectors) @name (block) @inside) @rule
      (media_statement "@media" @name . (_)+ @name . (block) @inside) @rule
      (supports_statement "@supports" @name . (_)+ @name . (block) @inside) @rule
      (keyframes_statement . _ @name (keyframes_name) @name (keyframe_block_list) @inside) @rule
      (at_rule . (at_keyword) @name . (_)* @name . (block) @inside) @rule
      (declaration (property_name) @name (#match? @name "^--")) @property
    `,
    name: (written) => written.slice(0, 120),
    most: 5000,
  },
  /** An object is named by its id, else by its type. */
  qml: {
    query: `
      (ui_object_definition initializer: (ui_object_initializer (ui_binding name: (identifier) @_id (#eq? @_id "id")
        value: (expression_statement (identifier) @name))) @inside) @element
      (ui_object_definition type_name: (_) @name initializer: (_) @inside) @element
      (ui_property name: (_) @name) @property
      (ui_signal name: (_) @name) @method
      (function_declaration name: (_) @name body: (_) @inside) @method
    `,
    arrange: onePerNode,
  },
};

/** Returns whether a class is the one around it under a second name, as in `const Name = class Inner {}`. */
function isSecondName({ kind }: FoundSymbol, parent: FoundSymbol | undefined): boolean {
  return kind === "class" && parent?.kind === "class";
}

/** Removes the quotes of a name that is a string, as in `declare module "x"` and `{ "on-click"() {} }`. */
function withoutQuotes(written: string): string {
  return /^(["'`]).*\1$/.test(written) ? written.slice(1, -1) : written;
}

const holdingMembers: ReadonlySet<string> = new Set(["interface", "type", "class"]);

/** Replaces constructs that the grammar does not know, such as variance of type parameters. */
function respellTypescript(text: string): string {
  return blankOut(text, /(?<=[<,]\s*)\b(?:in\s+out|in|out)\s+(?=[\p{L}_$])/gu)
    .replace(/(?<=[(|&?:=]\s*)\btype(?=\s+extends\b)/g, "Type")
    .replace(/(?<=[\w>)\]}][ \t]*)\n(?=\s*(?:\/\*(?:[^*]|\*(?!\/))*\*\/\s*)*<[A-Za-z])/g, ";");
}
