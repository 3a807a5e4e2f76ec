import type { SymbolRules } from "../symbol-rules.ts";

const sections = ["part", "chapter", "section", "subsection", "subsubsection", "paragraph", "subparagraph"];

export const latex: SymbolRules = {
  query: `
    ${sections.map((section) => `(${section} text: (curly_group) @name @open) @heading`).join("\n")}
    (new_command_definition declaration: [(curly_group_command_name command: (_) @name) (command_name) @name]) @macro
    (old_command_definition declaration: (_) @name) @macro
    (environment_definition name: (curly_group_text text: (_) @name)) @macro
    [(line_comment) (block_comment)] @comment
  `,
  name: (written) =>
    /^\{/.test(written)
      ? written
          .slice(1, -1)
          .replace(/\\[a-zA-Z]+\s*|[{}]/g, "")
          .trim()
      : written,
  kind: ({ kind, name }) => (name === "" ? undefined : kind),
};
