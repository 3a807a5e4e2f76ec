import { byteLines, fromByteLines } from "./byte-lines.ts";
import { type Collision, mergeLines } from "./merge-lines.ts";

export type ContentMerge =
  | { readonly kind: "merged"; readonly content: Uint8Array }
  | { readonly kind: "collides"; readonly collisions: readonly Collision[] }
  /** One of the three is no text. */
  | { readonly kind: "binary" };

/** Takes into `ours` what leads from `base` to `theirs`, byte for byte. */
export function mergeContents(base: Uint8Array, ours: Uint8Array, theirs: Uint8Array): ContentMerge {
  const [baseLines, ourLines, theirLines] = [base, ours, theirs].map(byteLines);
  if (!baseLines || !ourLines || !theirLines) return { kind: "binary" };
  const merge = mergeLines(baseLines, ourLines, theirLines);
  return merge.clean
    ? { kind: "merged", content: fromByteLines(merge.lines) }
    : { kind: "collides", collisions: merge.collisions };
}
