/**
 * What in a notebook does not follow nbformat 4, in words that name no place, so that those of two versions can be
 * compared. `value` is what JSON.parse makes of it.
 */
export function notebookFaults(value: unknown): readonly string[] {
  if (!isObject(value)) return ["it is no object"];
  const { cells, metadata, nbformat, nbformat_minor: minor } = value;
  const hasIds = typeof minor === "number" && minor >= 5;
  const list = Array.isArray(cells) ? cells : [];
  const ids = list.flatMap((cell) => (isObject(cell) && typeof cell.id === "string" ? [cell.id] : []));
  return [
    ...unless(nbformat === 4 && Number.isInteger(minor), "its version is not 4"),
    ...unless(isObject(metadata), "its metadata is no object"),
    ...unless(Array.isArray(cells), "its cells are no list"),
    ...unless(!hasIds || new Set(ids).size === ids.length, "two cells have the same id"),
    ...list.flatMap((cell) => cellFaults(cell, hasIds)),
  ];
}

function cellFaults(cell: unknown, hasIds: boolean): readonly string[] {
  if (!isObject(cell)) return ["a cell is no object"];
  const type = String(cell.cell_type);
  const isCode = type === "code";
  return [
    ...unless(["code", "markdown", "raw"].includes(type), `a cell is of type ${type}`),
    ...unless(isObject(cell.metadata), "a cell has no metadata"),
    ...unless(isText(cell.source), "a cell has no source"),
    ...unless(!hasIds || /^[\w-]{1,64}$/.test(String(cell.id ?? "")), "a cell has no id"),
    ...unless(hasIds || !("id" in cell), "a cell has an id, which its version does not know"),
    ...unless(
      isCode || !("outputs" in cell || "execution_count" in cell),
      "a cell that is no code has outputs",
    ),
    ...unless(!isCode || !("attachments" in cell), "a cell of code has attachments"),
    ...(isCode ? outputFaults(cell) : []),
  ];
}

function outputFaults({
  outputs,
  execution_count: count,
}: Readonly<Record<string, unknown>>): readonly string[] {
  const list = Array.isArray(outputs) ? outputs : [];
  return [
    ...unless(Array.isArray(outputs), "a cell of code has no outputs"),
    ...unless(count === null || Number.isInteger(count), "a cell of code has no execution_count"),
    ...list.flatMap((output) =>
      unless(isObject(output) && outputTypes.has(String(output.output_type)), "an output is of unknown type"),
    ),
  ];
}

const outputTypes = new Set(["stream", "execute_result", "display_data", "error"]);

function isText(value: unknown): boolean {
  return (
    typeof value === "string" || (Array.isArray(value) && value.every((line) => typeof line === "string"))
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function unless(holds: boolean, fault: string): readonly string[] {
  return holds ? [] : [fault];
}
