import { ToolError } from "../contract/error.ts";
import { nearest } from "./text/nearest.ts";
import { printableLine } from "./text/printable.ts";

/**
 * Returns an error for the first name of an object that is not known, because it would have no effect. A name with the
 * value undefined is ignored. `owner` and `kind` are for the message: "call has no option "timeout"".
 */
export function unknownName(
  given: object,
  known: readonly string[],
  { owner, kind }: { readonly owner: string; readonly kind: string },
): ToolError | undefined {
  const names = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return undefined;
  const near = nearest(unknown, known);
  const message = `${owner} has no ${kind} ${JSON.stringify(printableLine(unknown))}`;
  return new ToolError("invalid-input", message, {
    hint: near ? `Did you mean ${near}?` : `${capitalized(kind)}s: ${known.toSorted().join(", ")}`,
  });
}

function capitalized(word: string): string {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
}
