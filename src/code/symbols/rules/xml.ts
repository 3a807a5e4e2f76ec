import type { SymbolRules } from "../symbol-rules.ts";

export const xml: SymbolRules = {
  query: `
    (element (STag (Name) @name) @open (ETag) @close) @element
    (element (EmptyElemTag (Name) @name)) @element
    (Comment) @comment
  `,
  most: 2000,
};
