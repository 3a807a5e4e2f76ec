import { showPath } from "../../text/show-path.ts";

const maxNamed = 3;

/** What an undo will not bring back, in one line: "Undo does not cover: data.bin (too large to be kept), 3 more". */
export function nameUncovered(uncovered: readonly string[]): string {
  const named = uncovered.slice(0, maxNamed);
  const others = uncovered.length - named.length;
  return `Undo does not cover: ${[...named, ...(others > 0 ? [`${others} more`] : [])].join(", ")}`;
}

export function showUncovered(path: string, why: string): string {
  return `${showPath(path)} (${why})`;
}
