import type { SymbolRules } from "../symbol-rules.ts";
import { withoutTrailingComments } from "../without-trailing-comments.ts";

export const yaml: SymbolRules = {
  query: `
    (block_mapping_pair key: (flow_node) @name value: [
      (block_node [(block_mapping) (block_sequence)] @inside)
      (flow_node [(flow_mapping) (flow_sequence)] @inside)]) @key
    (block_mapping_pair key: (flow_node) @name) @key
    (flow_pair key: (flow_node) @name value: (flow_node [(flow_mapping) (flow_sequence)] @inside)) @key
    (flow_pair key: (flow_node) @name) @key
    (comment) @comment
  `,
  name: (written) => written.replace(/^(["'])(.*)\1$/, "$2"),
  kind: ({ kind, name }) => (name === "<<" ? undefined : kind),
  arrange: withoutTrailingComments,
  most: 2000,
};
