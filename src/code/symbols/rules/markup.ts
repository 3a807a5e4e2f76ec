import { nestHeadings } from "../arrange-pieces.ts";
import type { SymbolRulesTable } from "../symbol-rules.ts";

const latexSections = [
  "part",
  "chapter",
  "section",
  "subsection",
  "subsubsection",
  "paragraph",
  "subparagraph",
];

export const markupRules: SymbolRulesTable = {
  markdown: {
    query: `
      (atx_heading|setext_heading heading_content: (_) @name) @heading
      [(list) (block_quote)] @scope
    `,
    name: (written) =>
      written
        .replace(/\s+#+\s*$/, "")
        .replace(/!\[[^\]]*\](\([^)]*\)|\[[^\]]*\])/g, "")
        .replace(/\[([^\]]*)\](\([^)]*\)|\[[^\]]*\])/g, "$1")
        .replace(/[`*]|<[^<>]*>/g, "")
        .trim()
        .slice(0, 120),
    kind: ({ kind, name }) => (name === "" ? undefined : kind),
    arrange: nestHeadings(markdownLevel),
    most: 5000,
  },
  latex: {
    query: `
      ${latexSections.map((section) => `(${section} text: (curly_group) @name @open) @heading`).join("\n")}
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
  },
  typst: {
    query: `
      (section (heading (text) @name) @open) @heading
      (source_file (code (let pattern: (call item: (ident) @name)) @function))
      (source_file (code (let pattern: (ident) @name) @variable))
      (code (let) @inner) @outer
    `,
  },
  bibtex: {
    query: `
      (entry key: (_) @name) @key
      (string name: (_) @name) @variable
    `,
    most: 5000,
  },
};

function markdownLevel(heading: string): number {
  const marks = /^#+/.exec(heading)?.[0].length;
  return marks ?? (/=\s*$/.test(heading) ? 1 : 2);
}
