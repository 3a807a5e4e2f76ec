import type { SymbolRules } from "../symbol-rules.ts";

const name = "name: [(identifier) @name (exported_symbol (_) @name) (accent_quoted) @name]";
const routine = (node: string, kind: string) => `
    (${node} ${name} (documentation_comment (comment_content) @doc)? body: (_)? @inside) @${kind}`;

export const nim: SymbolRules = {
  query: `
    ${["proc_declaration", "func_declaration", "iterator_declaration", "converter_declaration"]
      .map((node) => routine(node, "function"))
      .join("")}
    ${routine("method_declaration", "method")}
    ${["template_declaration", "macro_declaration"].map((node) => routine(node, "macro")).join("")}
    (type_declaration (type_symbol_declaration ${name}) (enum_declaration) @body) @enum
    (type_declaration (type_symbol_declaration ${name}) [
      (object_declaration) @body (ref_type (object_declaration)) @body]) @struct
    (type_declaration (type_symbol_declaration ${name})) @type
    (field_declaration (symbol_declaration_list (symbol_declaration ${name}) @field))
    (field_declaration (symbol_declaration_list (symbol_declaration) @inner)) @outer
    (enum_field_declaration (symbol_declaration ${name})) @variant
    (const_section (variable_declaration (symbol_declaration_list (symbol_declaration ${name}))) @constant)
    (let_section (variable_declaration (symbol_declaration_list (symbol_declaration ${name}))) @variable)
    (var_section (variable_declaration (symbol_declaration_list (symbol_declaration ${name}))) @variable)
    [(const_section (variable_declaration) @inner) (let_section (variable_declaration) @inner)
      (var_section (variable_declaration) @inner) (type_section (type_declaration) @inner)] @outer
    [(comment) (documentation_comment)] @comment
  `,
  name: (written) => written.replace(/^`(.*)`$/, "$1"),
};
