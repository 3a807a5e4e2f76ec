import type { Pieces } from "../gather-pieces.ts";
import { nestHeadings } from "../nest-headings.ts";
import { oneANode } from "../one-a-node.ts";
import type { SymbolRules } from "../symbol-rules.ts";
import { withoutTrailingComments } from "../without-trailing-comments.ts";

export const dockerfile: SymbolRules = {
  query: `
    (from_instruction as: (_) @name) @module
    (from_instruction (image_spec) @name) @module
    (comment) @comment
  `,
  arrange: stages,
};

const untilTheNext = nestHeadings(() => 1);

function stages(pieces: Pieces, text: string): Pieces {
  return withoutTrailingComments(untilTheNext(oneANode(pieces), text), text);
}
