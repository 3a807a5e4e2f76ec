import { ToolError } from "../contract/error.ts";
import { wildcardRegex } from "../lib/text/escape-regex.ts";
import { nearest } from "../lib/text/nearest.ts";
import type { Dialect, DialectTool } from "./dialect.ts";
import { toolcribDialect } from "./toolcrib.ts";

/**
 * Finds a tool for a program or a user, who may use every canonical name in every dialect. A canonical name takes the
 * arguments of the canonical tool, unless the dialect has a tool of that very name.
 */
export function findAnyTool(dialect: Dialect, name: string): DialectTool {
  const isOfDialect = dialect.tools.some((tool) => tool.name === name);
  return (isOfDialect ? undefined : canonicalTool(name)) ?? findTool(dialect.tools, name, dialect);
}

/** Returns a canonical tool under its own name, with its own arguments; undefined for any other name. */
export function canonicalTool(name: string): DialectTool | undefined {
  const tool = toolcribDialect.tools.find(({ canonical }) => canonical === name);
  return tool && { ...tool, name };
}

/** Finds a tool by its name in the dialect, else by alias or canonical name. */
export function findTool(
  tools: readonly DialectTool[],
  name: string,
  { ignoresCase, aliases = [], tools: ofDialect = [] }: Partial<Dialect> = {},
): DialectTool {
  const isCalled = (known: string) => known === name;
  const exact = tools.find((tool) => isCalled(tool.name));
  if (exact) return exact;
  const isAlmost = (known: string) => known.toLowerCase() === name.toLowerCase();
  // An alias counts only when its tool is offered.
  const isOffered = (alias: DialectTool) => tools.some(({ canonical }) => canonical === alias.canonical);
  // Names of the dialect match in any case, also when a custom tool has them. Names of other servers must be exact.
  const inAnyCase = ignoresCase ? namedAsIn(ofDialect, tools) : [];
  const found =
    inAnyCase.find((tool) => isAlmost(tool.name)) ??
    aliases.find((alias) => isCalled(alias.name) && isOffered(alias)) ??
    tools.find(({ canonical }) => isCalled(canonical)) ??
    inAnyCase.find(({ canonical }) => isAlmost(canonical));
  if (found) return found;
  // Suggestions have the caller's spelling: canonical names have dots.
  const spelling = (tool: DialectTool) => (name.includes(".") ? tool.canonical : tool.name);
  const similar = similarTools(name, tools, nearest(name, tools.map(spelling)));
  const quoted = similar.map((tool) => `"${spelling(tool)}"`);
  throw new ToolError("not-found", `Unknown tool "${name.length > 100 ? `${name.slice(0, 100)}…` : name}"`, {
    hint:
      similar.length > 0
        ? `Did you mean ${quoted.join(" or ")}?`
        : `Known tools: ${tools.map(spelling).join(", ")}.`,
    forUser: {
      hint:
        similar.length > 0
          ? `Did you mean ${similar.map(nameForUser).join(" or ")}?`
          : "List the tools: toolcrib tools",
    },
    details: { kind: "unknown-tool", name },
  });
}

/** Returns the tools that have a name of the dialect, in any case. */
function namedAsIn(dialect: readonly DialectTool[], tools: readonly DialectTool[]): readonly DialectTool[] {
  const names = new Set(dialect.map(({ name }) => name.toLowerCase()));
  return tools.filter(({ name }) => names.has(name.toLowerCase()));
}

/** Returns the name that users write: `file.read` for `file_read`, and the dialect's name where it differs. */
export function nameForUser({ name, canonical }: Pick<DialectTool, "name" | "canonical">): string {
  return name === canonical.replaceAll(".", "_") ? canonical : name;
}

/** Returns the tool named `near`; without one, up to three tools with this last part: `file.read` for `read`. */
function similarTools(
  name: string,
  tools: readonly DialectTool[],
  near: string | undefined,
): readonly DialectTool[] {
  const similar = tools.filter(({ canonical, ...tool }) =>
    near === undefined ? canonical.split(".").at(-1) === name : [tool.name, canonical].includes(near),
  );
  return similar.length < 4 ? similar : [];
}

/**
 * Returns the tools that `wanted` names: by dialect name, canonical name, pattern (`file.*`), set, `all` or alias; an
 * exact name takes precedence. A tool that combines several canonical tools is selected only by all of them. Throws for
 * a word that matches nothing, unless `more` tools may come.
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
  const isName = (word: string) => known.some(({ name, canonical }) => name === word || canonical === word);
  const [names, patterns] = [wanted.filter(isName), wanted.filter((word) => !isName(word))];
  const words = patterns.flatMap((word) =>
    Object.hasOwn(sets, word) ? sets[word]! : [word === "all" ? "*" : word],
  );
  const isNamed = (name: string) => names.includes(name) || words.some((word) => matches(word, name));
  if (!more) for (const word of [...names, ...words]) expectTool(word, known, isNamed);
  return known.filter((tool) => isChosen(tool, isNamed));
}

function isChosen({ name, canonical, also = [] }: DialectTool, isNamed: (name: string) => boolean): boolean {
  // Ending an agent is harmless, so a selection need not name it.
  const needed = also.filter((each) => each !== "agent.close");
  return isNamed(name) || [canonical, ...needed].every(isNamed);
}

function expectTool(word: string, tools: readonly DialectTool[], isNamed: (name: string) => boolean): void {
  const matching = tools.filter(({ name, canonical, also = [] }) =>
    [name, canonical, ...also].some((each) => matches(word, each)),
  );
  if (matching.some((tool) => isChosen(tool, isNamed))) return;
  const [wider] = matching;
  if (wider !== undefined) {
    const { name, canonical, also = [] } = wider;
    const message = `"${word}" cannot be selected alone: ${name} combines ${[canonical, ...also].join(", ")}`;
    throw new ToolError("invalid-input", message, { hint: `Select "${name}".` });
  }
  const names = tools.map(({ name }) => name);
  const near = nearest(word, names);
  const similar = near === undefined ? undefined : tools.find(({ name }) => name === near);
  throw new ToolError("invalid-input", `Unknown tool "${word}"`, {
    hint: near ? `Did you mean "${near}"?` : `Known tools: ${names.join(", ")}.`,
    forUser: {
      hint: similar ? `Did you mean ${nameForUser(similar)}?` : "List the tools: toolcrib tools",
    },
  });
}

function matches(word: string, name: string): boolean {
  return wildcardRegex(word, "i").test(name);
}
