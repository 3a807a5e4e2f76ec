import { ToolError } from "../contract/error.ts";
import { nearest } from "../text/nearest.ts";
import type { DialectTool } from "./dialect.ts";

/** The tool with this name in the dialect, else with this canonical name. */
export function findTool(tools: readonly DialectTool[], name: string): DialectTool {
  const found = tools.find((tool) => tool.name === name) ?? tools.find(({ canonical }) => canonical === name);
  if (found) return found;
  // Answer in the caller's spelling: canonical names have dots.
  const names = tools.map((tool) => (name.includes(".") ? tool.canonical : tool.name));
  const meant = nearest(name, names);
  throw new ToolError("not-found", `Unknown tool "${name}"`, {
    hint: meant ? `Did you mean "${meant}"?` : `Known tools: ${names.join(", ")}.`,
  });
}
