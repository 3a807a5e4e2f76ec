import type { Change } from "../../git/parse-status.ts";
import { showPath } from "../../lib/show-path.ts";

/** One changed file as a line: "renamed a.ts → b.ts". */
export function showChange({ change, path, from }: Change): string {
  return `  ${change} ${from === undefined ? "" : `${showPath(from)} → `}${showPath(path)}`;
}
