import { nestHeadings } from "../nest-headings.ts";
import type { SymbolRules } from "../symbol-rules.ts";

export const markdown: SymbolRules = {
  query: `
    (atx_heading heading_content: (_) @name) @heading
    (setext_heading heading_content: (_) @name) @heading
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
  arrange: nestHeadings(levelOf),
  most: 5000,
};

function levelOf(heading: string): number {
  const marks = /^#+/.exec(heading)?.[0].length;
  return marks ?? (/=\s*$/.test(heading) ? 1 : 2);
}
