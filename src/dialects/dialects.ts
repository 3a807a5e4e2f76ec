import { ToolError } from "../contract/error.ts";
import { nearest } from "../text/nearest.ts";
import type { Dialect } from "./dialect.ts";
import { toolcribDialect } from "./toolcrib.ts";

/** Every dialect by name. A new dialect is its file, its golden and a line here. */
const dialects: readonly Dialect[] = [toolcribDialect];

export const dialectNames: readonly string[] = dialects.map((dialect) => dialect.name);

export function findDialect(name: string): Dialect {
  const found = dialects.find((dialect) => dialect.name === name);
  if (found) return found;
  const meant = nearest(name, dialectNames);
  throw new ToolError("invalid-input", `There is no dialect "${name}"`, {
    hint: meant ? `Did you mean "${meant}"?` : `Known: ${dialectNames.join(", ")}.`,
  });
}
