import { ToolError } from "../contract/error.ts";
import type { Block } from "./block.ts";
import { listLines } from "./decide.ts";
import type { Match } from "./match.ts";
import { sectionsUnder } from "./sections.ts";
import type { Source } from "./source.ts";

/** Lines to add without any line around them: below their header, at the marked end, or into an empty file. */
export function insertionPoint(source: Source, block: Block): Match {
  const { headers, isHeading, firstLine, isInsertion, endOfFile } = block.place;
  const { lines, path } = source;
  const at = (line: number): Match => ({
    tier: "exact",
    line,
    start: lines.start(line),
    end: lines.start(line),
  });
  if (lines.count === 0) return at(0);
  if (endOfFile) return at(lines.count);
  const sections = headers.length > 0 ? sectionsUnder(source, headers) : [];
  const isBelowHeading = headers.length === 0 || sections.some(({ header }) => header < firstLine! - 1);
  if (isInsertion && firstLine! <= lines.count + 1 && isBelowHeading) return at(firstLine! - 1);
  if (isHeading) throw nowhere(path, block);
  if (sections.length === 1) return at(sections[0]!.header + 1);
  if (sections.length > 1) {
    const places = listLines(sections.map(({ header }) => at(header)));
    throw new ToolError("ambiguous-match", `${path}: the header of ${block.name} stands at ${places}`, {
      hint: "Add a context line, or the header of the class around it as another @@ line before.",
    });
  }
  if (headers.length > 0) {
    throw new ToolError(
      "no-match",
      `${path}: the header of ${block.name} is not in the file: ${headers.at(-1)}`,
      {
        hint: "Add the line above or below the new lines as context.",
      },
    );
  }
  throw nowhere(path, block);
}

function nowhere(path: string, { name }: Block): ToolError {
  return new ToolError("invalid-input", `${path}: ${name} only adds lines and does not say where`, {
    hint: "Add the line above or below the new lines as context, or end the hunk with `*** End of File`.",
  });
}
