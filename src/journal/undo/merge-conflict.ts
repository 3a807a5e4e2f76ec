import type { EntryState } from "../../contract/history.ts";
import { type Collision, mergeContents } from "../../edit/merge.ts";
import { isSameContent } from "../entry-states.ts";
import type { Contents } from "./contents.ts";
import { type Conflict, type Step, toStep } from "./plan-undo.ts";

export type Merged = Step | { readonly collisions: readonly Collision[] } | { readonly why: string };

/** Takes the changes out of a file that somebody else has changed, too: what leads from `after` back to `before`. */
export async function mergeConflict({ net, now, pieces }: Conflict, contents: Contents): Promise<Merged> {
  if (now?.kind !== "file") return { why: "there is no file to merge with" };
  let merged: FileState = now;
  for (const piece of pieces) {
    const { before, after } = piece;
    if (before.kind !== "file" || after.kind !== "file") return { why: "only what is a file can be merged" };
    const mode = mergeModes(after.mode, merged.mode, before.mode);
    if (mode === undefined) return { why: "its permissions were changed, too" };
    const content = await mergePiece({ before, after, merged }, contents);
    if (!("kind" in content)) return content;
    merged = { ...content, mode };
  }
  return toStep(net, now, merged);
}

type FileState = Extract<EntryState, { readonly kind: "file" }>;

async function mergePiece(
  { before, after, merged }: Record<"before" | "after" | "merged", FileState>,
  contents: Contents,
): Promise<FileState | Exclude<Merged, Step>> {
  if (isSameContent(merged, after)) return before;
  if (isSameContent(before, after)) return merged;
  const [base, ours, theirs] = await Promise.all(
    [after, merged, before].map((state) => contents.peek(state)),
  );
  if (isMissing(base) || isMissing(ours) || isMissing(theirs))
    return { why: "what it held is no longer kept, or is too large to be merged" };
  const merge = mergeContents(base, ours, theirs);
  if (merge.kind === "binary") return { why: "it is no text" };
  if (merge.kind === "collides") return { collisions: merge.collisions };
  return contents.add(merge.content, merged.mode) as FileState;
}

function isMissing(content: Uint8Array | "nothing" | undefined): content is "nothing" | undefined {
  return content === undefined || content === "nothing";
}

/** The permissions that both sides agree on. */
function mergeModes(base: number, ours: number, theirs: number): number | undefined {
  if (base === theirs || ours === theirs) return ours;
  return ours === base ? theirs : undefined;
}
