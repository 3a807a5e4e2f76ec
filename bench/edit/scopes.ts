import type { Document } from "./document.ts";
import { fold } from "./oracle.ts";

/** Lines that enclose a line by their indentation, innermost first; only those that occur once in the file. */
export function enclosingLines(document: Document, at: number): number[] {
  const { lines } = document;
  const found: number[] = [];
  let limit = indentWidth(lines.slice(at).find((line) => line.trim() !== "") ?? "");
  for (let above = at - 1; above >= 0 && limit > 0; above--) {
    const line = lines[above]!;
    if (line.trim() === "" || indentWidth(line) >= limit) continue;
    limit = indentWidth(line);
    if (/\w{3}/.test(line) && isSingle(document, above)) found.push(above);
  }
  return found;
}

/** The first line after `header` that is not indented deeper, or the end of the file. */
export function scopeEnd({ lines }: Document, header: number): number {
  const depth = indentWidth(lines[header]!);
  const end = lines.findIndex((line, at) => at > header && line.trim() !== "" && indentWidth(line) <= depth);
  return end === -1 ? lines.length : end;
}

export function isSingle({ lines }: Document, at: number): boolean {
  const wanted = fold(lines[at]!);
  return lines.every((line, other) => other === at || fold(line) !== wanted);
}

function indentWidth(line: string): number {
  return line.length - line.trimStart().length;
}
