import type { SymbolRules } from "../symbol-rules.ts";

export const prisma: SymbolRules = {
  query: `
    (model_declaration (identifier) @name (statement_block) @inside) @table
    (type_declaration (identifier) @name (statement_block) @inside) @type
    (datasource_declaration (identifier) @name (statement_block) @inside) @key
    (generator_declaration (identifier) @name (statement_block) @inside) @key
    (enum_declaration (identifier) @name (enum_block) @inside) @enum
    (column_declaration . (identifier) @name) @field
    (enumeral . (identifier) @name) @variant
    [(comment) (developer_comment)] @comment
  `,
};
