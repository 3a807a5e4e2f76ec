import { oneANode } from "../one-a-node.ts";
import type { SymbolRules } from "../symbol-rules.ts";

const id = `(attribute (attribute_name) @_id (#eq? @_id "id")
        [(attribute_value) @name (quoted_attribute_value (attribute_value) @name)])`;

export const html: SymbolRules = {
  query: `
    (element (start_tag (tag_name) @_tag (#match? @_tag "^[hH][1-6]$")) @open . (_)+ @name . (end_tag) @close) @heading
    (element (start_tag ${id}) @open (end_tag) @close) @element
    (element [(start_tag ${id}) (self_closing_tag ${id})]) @element
    (element (start_tag (tag_name) @name (#match? @name "-")) @open (end_tag) @close) @element
    (element [(start_tag (tag_name) @name) (self_closing_tag (tag_name) @name)] (#match? @name "-")) @element
    (script_element (start_tag (tag_name) @name) @open (end_tag) @close) @element
    (style_element (start_tag (tag_name) @name) @open (end_tag) @close) @element
    (comment) @comment
  `,
  name: (written) =>
    written
      .replace(/<[^<>]*>/g, "")
      .replace(/\s+/g, " ")
      .trim()
      .slice(0, 120),
  kind: ({ kind, name }) => (name === "" ? undefined : kind),
  arrange: oneANode,
  most: 5000,
};

export const vue: SymbolRules = {
  ...html,
  query: `(template_element (start_tag (tag_name) @name) @open (end_tag) @close) @element ${html.query}`,
};
