/** A row of a table. */
export interface Row {
  readonly cells: readonly string[];
  /** Where each of them ends, from the left; fewer where it is not said. */
  readonly edges: readonly number[];
}

/** Where the columns of a table end: wherever a cell does. */
export function edgesOf(rows: readonly Row[]): readonly number[] {
  const defined = new Set(rows.map(({ edges }) => edges));
  const all = [...new Set([...defined].flat())].sort((one, other) => one - other);
  return all.filter((edge, index) => index === 0 || edge - all[index - 1]! > sameEdge);
}

/** In twips: programs round. */
const sameEdge = 15;

/** Its cells in the columns in which they begin, with empty ones behind those that are wider than one. */
export function inColumns({ cells, edges }: Row, columns: readonly number[]): readonly string[] {
  const isAscending = edges.every((edge, index) => index === 0 || edge > edges[index - 1]!);
  const isDefined = edges.length > 0 && cells.slice(edges.length).every((cell) => cell === "");
  if (!isAscending || !isDefined) return cells;
  const placed: string[] = [];
  for (const [index, cell] of cells.slice(0, edges.length).entries()) {
    placed.push(cell);
    const end = edges[index]! - sameEdge;
    while (placed.length < columns.length && columns[placed.length - 1]! < end) placed.push("");
  }
  return placed;
}
