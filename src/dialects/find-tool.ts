import { ToolError } from "../contract/error.ts";
import { nearest } from "../text/nearest.ts";
import type { Dialect, DialectTool } from "./dialect.ts";

/** The tool with this name in the dialect, else with this canonical name. */
export function findTool(
  tools: readonly DialectTool[],
  name: string,
  { ignoresCase }: Pick<Dialect, "ignoresCase"> = {},
): DialectTool {
  const isCalled = ignoresCase
    ? (known: string) => known.toLowerCase() === name.toLowerCase()
    : (known: string) => known === name;
  const found =
    tools.find((tool) => isCalled(tool.name)) ?? tools.find(({ canonical }) => isCalled(canonical));
  if (found) return found;
  // Answer in the caller's spelling: canonical names have dots.
  const names = tools.map((tool) => (name.includes(".") ? tool.canonical : tool.name));
  const meant = nearest(name, names);
  throw new ToolError("not-found", `Unknown tool "${name}"`, {
    hint: meant ? `Did you mean "${meant}"?` : `Known tools: ${names.join(", ")}.`,
  });
}
