import type { DocumentPart } from "../../contract/document.ts";
import { append, type Block, cellText, showBlocks } from "./blocks.ts";

interface SlideContent {
  readonly titles: readonly (readonly Block[])[];
  readonly others: readonly (readonly Block[])[];
  /** What is said of it: speaker notes, comments. */
  readonly remarks: readonly (readonly Block[])[];
  readonly isHidden: boolean;
}

/** A slide as a part: its title, what stands on it, what is said of it. */
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

/** Where something stands on a slide, in any unit. */
export interface ShapePosition {
  readonly top: number;
  readonly left: number;
  readonly height: number;
}

/**
 * As one reads a slide: rows from the top, each from the left. What begins in the upper half of the first of its row
 * stands beside it. What has no place keeps its turn among the others.
 */
export function inReadingOrder<Shape extends { readonly place: ShapePosition | undefined }>(
  shapes: readonly Shape[],
): readonly Shape[] {
  let before: ShapePosition = { top: 0, left: 0, height: 0 };
  const placed = shapes.map((shape) => {
    before = shape.place ?? before;
    return { shape, place: before };
  });
  placed.sort((one, other) => one.place.top - other.place.top || one.place.left - other.place.left);
  const rows: (typeof placed)[] = [];
  for (const one of placed) {
    const first = rows.at(-1)?.[0]?.place;
    if (first && one.place.top < first.top + first.height / 2) rows.at(-1)!.push(one);
    else rows.push([one]);
  }
  return rows.flatMap((row) =>
    row.sort((one, other) => one.place.left - other.place.left).map(({ shape }) => shape),
  );
}
