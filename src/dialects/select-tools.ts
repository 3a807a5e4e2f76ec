import { ToolError } from "../contract/error.ts";
import { nearest } from "../text/nearest.ts";
import type { Dialect, DialectTool } from "./dialect.ts";

/**
 * The tools that `wanted` names: by their name in the dialect or the canonical one, by a pattern (`file.*`), by the name of
 * a set of the dialect, or `all`; an alias by this very name. Throws for what names none, unless that may still come.
 */
export function selectTools(
  tools: readonly DialectTool[],
  wanted: readonly string[],
  {
    sets = {},
    aliases = [],
    more = false,
  }: Pick<Dialect, "sets" | "aliases"> & { readonly more?: boolean } = {},
): readonly DialectTool[] {
  const named = aliases.filter(({ name }) => wanted.includes(name));
  const known = [...named, ...tools];
  const patterns = wanted.flatMap((word) => sets[word] ?? [word === "all" ? "*" : word]);
  const chosen = new Set(patterns.flatMap((pattern) => namedBy(pattern, known, more)));
  return known.filter((tool) => chosen.has(tool));
}

function namedBy(pattern: string, tools: readonly DialectTool[], more: boolean): readonly DialectTool[] {
  const expression = new RegExp(`^${pattern.split("*").map(escapeText).join(".*")}$`, "i");
  const named = tools.filter(({ name, canonical }) => expression.test(name) || expression.test(canonical));
  if (named.length > 0 || more) return named;
  const names = tools.map(({ name }) => name);
  const meant = nearest(pattern, names);
  throw new ToolError("invalid-input", `No tool here is called "${pattern}"`, {
    hint: meant ? `Did you mean "${meant}"?` : `Known tools: ${names.join(", ")}.`,
  });
}

function escapeText(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
