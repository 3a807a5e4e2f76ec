/** Where something stands on a slide, in any unit. */
export interface Place {
  readonly top: number;
  readonly left: number;
  readonly height: number;
}

/**
 * As one reads a slide: rows from the top, each from the left. What begins in the upper half of the first of its row
 * stands beside it. What has no place keeps its turn among the others.
 */
export function inReadingOrder<Shape extends { readonly place: Place | undefined }>(
  shapes: readonly Shape[],
): readonly Shape[] {
  let before: Place = { top: 0, left: 0, height: 0 };
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
