import { characterStart } from "../../lib/truncate.ts";

/** Lines of a diff, long ones cut so that the difference between an old line and its new one is seen. */
export function cutLines(lines: readonly string[]): readonly string[] {
  return lines.map((line, index) =>
    line.length > maxChars ? cutLine(line, counterpart(lines, index)) : line,
  );
}

const maxChars = 300;

/** Of what is the same before the first difference. */
const lead = 80;

function cutLine(line: string, other: string | undefined): string {
  let same = 1;
  while (other !== undefined && same < line.length && line[same] === other[same]) same += 1;
  const start = same > maxChars / 2 ? characterStart(line, same - lead) : 1;
  const end = characterStart(line, start + maxChars);
  return `${line[0]}${start > 1 ? "…" : ""}${line.slice(start, end)}${end < line.length ? "…" : ""}`;
}

/** The line with the other sign at the same place of its run: removed lines stand before added ones. */
function counterpart(lines: readonly string[], index: number): string | undefined {
  const sign = lines[index]![0];
  const isRemoved = sign === "-";
  if (!isRemoved && sign !== "+") return undefined;
  const start = runStart(lines, index, sign);
  if (isRemoved) {
    let end = index;
    while (lines[end]?.startsWith("-")) end += 1;
    return startingWith("+", lines[end + index - start]);
  }
  const removedStart = runStart(lines, start - 1, "-");
  return removedStart + index - start < start
    ? startingWith("-", lines[removedStart + index - start])
    : undefined;
}

function runStart(lines: readonly string[], index: number, sign: string): number {
  let start = index;
  while (lines[start - 1]?.startsWith(sign)) start -= 1;
  return start;
}

function startingWith(sign: string, line: string | undefined): string | undefined {
  return line?.startsWith(sign) ? line : undefined;
}
