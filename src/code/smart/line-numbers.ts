/** Lines counted from 1, both ends included. */
export interface LineSpan {
  readonly first: number;
  readonly last: number;
}

/** The lines that a location names by their numbers: "line 42", "lines 10-20", "10-20", "L7", "L7-L9", "42". */
export function lineNumbersIn(location: string): LineSpan | undefined {
  const match =
    /^(?:lines?\s*|l(?:ine)?\.?\s*|#l)?(\d{1,9})(?:\s*(?:-|–|—|\.\.|to|through)\s*(?:lines?\s*|l)?(\d{1,9}))?$/i.exec(
      location.trim(),
    );
  if (!match) return undefined;
  const first = Number(match[1]);
  return { first, last: match[2] === undefined ? first : Number(match[2]) };
}

/** "3:12", as compilers write a line and a column, and "lines 3 and 12" or "3, 12": numbers that mean no span of lines. */
export function isUnclearNumbers(location: string): boolean {
  if (location.length > maxChars) return false;
  return /^(?:lines?\s*|l(?:ine)?\.?\s*|#l)?\d{1,9}(?:\s*(?::|,|;|&|\+|,?\s*and|or)\s*(?:lines?\s*|l)?\d{1,9})+:?$/i.test(
    location.trim(),
  );
}

/** Nobody lists more by hand. */
const maxChars = 200;
