import { ToolError } from "../contract/error.ts";
import { type Glob, parseGlob } from "../lib/glob/glob.ts";
import { nearest } from "../lib/text/nearest.ts";
import types from "./ripgrep-types.json" with { type: "json" };

/** The globs of each ripgrep file type. A test compares them with `rg --type-list`. */
const table: ReadonlyMap<string, string> = new Map(Object.entries(types));

/** Returns the globs of a ripgrep file type. Throws `invalid-input` for an unknown name. */
export function fileType(name: string): readonly Glob[] {
  const globs = table.get(name);
  if (globs !== undefined) return globs.split(" ").map((glob) => parseGlob(glob));
  const similar = nearest(name, table.keys());
  throw new ToolError("invalid-input", `There is no file type "${name}"`, {
    hint: `${similar === undefined ? "" : `Did you mean "${similar}"? `}You can also use a glob: "*.${name}".`,
  });
}

export function fileTypeNames(): readonly string[] {
  return [...table.keys()];
}
