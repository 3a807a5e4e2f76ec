import { isRecord } from "../../lib/json/is-record.ts";

/** Yields the violations of nbformat 4 in parsed JSON, without positions, so that versions can be compared. */
export function* notebookFaults(value: unknown): Generator<string> {
  if (!isRecord(value)) {
    yield "it is not an object";
    return;
  }
  const { cells, metadata, nbformat, nbformat_minor: minor } = value;
  const hasIds = typeof minor === "number" && minor >= 5;
  const list = Array.isArray(cells) ? cells : [];
  const ids = list.flatMap((cell) => (isRecord(cell) && typeof cell.id === "string" ? [cell.id] : []));
  if (nbformat !== 4 || !Number.isInteger(minor)) yield "its version is not 4";
  if (!isRecord(metadata)) yield "its metadata is not an object";
  if (!Array.isArray(cells)) yield "its cells are not a list";
  if (hasIds && new Set(ids).size < ids.length) yield "two cells have the same id";
  for (const cell of list) yield* cellFaults(cell, hasIds);
}

function* cellFaults(cell: unknown, hasIds: boolean): Generator<string> {
  if (!isRecord(cell)) {
    yield "a cell is not an object";
    return;
  }
  const type = String(cell.cell_type);
  const isCode = type === "code";
  if (!["code", "markdown", "raw"].includes(type)) yield `a cell is of type ${type}`;
  if (!isRecord(cell.metadata)) yield "a cell has no metadata";
  if (!isText(cell.source)) yield "a cell has no source";
  if (hasIds && !/^[\w-]{1,64}$/.test(String(cell.id ?? ""))) yield "a cell has no id";
  if (!hasIds && "id" in cell) yield "a cell has an id, which its version does not allow";
  if (!isCode && ("outputs" in cell || "execution_count" in cell))
    yield "a cell that is not code has outputs";
  if (isCode && "attachments" in cell) yield "a code cell has attachments";
  if (isCode) yield* outputFaults(cell);
}

function* outputFaults({
  outputs,
  execution_count: count,
}: Readonly<Record<string, unknown>>): Generator<string> {
  if (!Array.isArray(outputs)) yield "a code cell has no outputs";
  if (count !== null && !Number.isInteger(count)) yield "a code cell has no execution_count";
  for (const output of Array.isArray(outputs) ? outputs : [])
    if (!isRecord(output) || !outputTypes.has(String(output.output_type)))
      yield "an output has an unknown type";
}

const outputTypes = new Set(["stream", "execute_result", "display_data", "error"]);

function isText(value: unknown): boolean {
  return (
    typeof value === "string" || (Array.isArray(value) && value.every((line) => typeof line === "string"))
  );
}
