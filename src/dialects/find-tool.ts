import { ToolError } from "../contract/error.ts";
import { nearest } from "../lib/nearest.ts";
import type { Dialect, DialectTool } from "./dialect.ts";

/** The tool with this name in the dialect, else with this alias or canonical name. */
export function findTool(
  tools: readonly DialectTool[],
  name: string,
  { ignoresCase, aliases = [] }: Pick<Dialect, "ignoresCase" | "aliases"> = {},
): DialectTool {
  const isCalled = ignoresCase
    ? (known: string) => known.toLowerCase() === name.toLowerCase()
    : (known: string) => known === name;
  // An alias is another name for a tool that is here.
  const isHere = (alias: DialectTool) => tools.some(({ canonical }) => canonical === alias.canonical);
  const found =
    tools.find((tool) => isCalled(tool.name)) ??
    aliases.find((alias) => isCalled(alias.name) && isHere(alias)) ??
    tools.find(({ canonical }) => isCalled(canonical));
  if (found) return found;
  // Answer in the caller's spelling: canonical names have dots.
  const names = tools.map((tool) => (name.includes(".") ? tool.canonical : tool.name));
  const meant = nearest(name, names);
  throw new ToolError("not-found", `Unknown tool "${name.length > 100 ? `${name.slice(0, 100)}…` : name}"`, {
    hint: meant ? `Did you mean "${meant}"?` : `Known tools: ${names.join(", ")}.`,
    details: { kind: "unknown-tool" },
  });
}
