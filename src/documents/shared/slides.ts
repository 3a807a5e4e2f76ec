import type { DocumentPart } from "../../contract/document.ts";
import { append, type Block, cellText, showBlocks } from "./blocks.ts";

interface SlideContent {
  readonly titles: readonly (readonly Block[])[];
  readonly others: readonly (readonly Block[])[];
  /** Speaker notes and comments. */
  readonly remarks: readonly (readonly Block[])[];
  readonly isHidden: boolean;
}

export function showSlide(anchor: string, { titles, others, remarks, isHidden }: SlideContent): DocumentPart {
  const title = titles
    .map((blocks) => cellText(blocks).replaceAll(/\s*\n\s*/g, " "))
    .join(" ")
    .trim();
  const blocks: Block[] = title === "" ? [] : [{ kind: "heading", level: 1, text: title }];
  for (const list of [...others, ...remarks]) append(blocks, list);
  const shown = isHidden ? `${title} (hidden)`.trim() : title;
  return { anchor, title: shown || undefined, text: showBlocks(blocks) };
}

/** The position of a shape, in any unit. */
export interface ShapePosition {
  readonly top: number;
  readonly left: number;
  readonly height: number;
}

/**
 * Sorts shapes by rows from the top, each row from the left. A shape that begins in the upper half of a row's first
 * shape belongs to that row. A shape without a position stays after the previous one.
 */
export function inReadingOrder<Shape extends { readonly position: ShapePosition | undefined }>(
  shapes: readonly Shape[],
): readonly Shape[] {
  let before: ShapePosition = { top: 0, left: 0, height: 0 };
  const placed = shapes.map((shape) => {
    before = shape.position ?? before;
    return { ...before, shape };
  });
  placed.sort((one, other) => one.top - other.top || one.left - other.left);
  const rows: (typeof placed)[] = [];
  for (const one of placed) {
    const first = rows.at(-1)?.[0];
    if (first && one.top < first.top + first.height / 2) rows.at(-1)!.push(one);
    else rows.push([one]);
  }
  return rows.flatMap((row) => row.sort((one, other) => one.left - other.left).map(({ shape }) => shape));
}
