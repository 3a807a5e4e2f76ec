import { boundedMemo } from "../../lib/bounded-cache.ts";
import { escapeGlob } from "../../lib/glob/glob.ts";
import { matchSegment, type NamePattern, parseSegments } from "../../lib/glob/glob-segment.ts";
import { hostOf } from "../hosts.ts";
import { fold, namesIn } from "../paths/path-names.ts";
import { compilePath, matchNames } from "../paths/path-pattern.ts";
import type { PathContext } from "../policy.ts";
import { compileCommand } from "./command-pattern.ts";
import {
  type Effect,
  loosens,
  type ParsedRule,
  type PathRule,
  type Rule,
  type ToolMatcher,
  type ToolPattern,
} from "./rule.ts";
import type { RuleWord } from "./rule-words.ts";

/** Binds a rule to a home and a workspace. */
export function compileRule({ effect, about, because, by, origin }: ParsedRule, context: PathContext): Rule {
  const matcher = by && compileTool(by, effect);
  const base = (...words: readonly RuleWord[]) => {
    const spelled = spelledOut(by === undefined ? words : [...words, by.name]);
    return { effect, by: matcher, because, origin, rank: 0, spelledOut: spelled };
  };
  switch (about.kind) {
    case "run":
      return { ...base(...about.words), kind: "run", pattern: compileCommand(about.words, context) };
    case "path": {
      const patterns = compilePath(about.glob.pattern, context, loosens(effect) ? "exact" : "folded");
      const glob = about.glob.pattern;
      const uses = new Set(about.uses);
      // A rule against writing is also one against deleting. Permission to write is not permission to delete.
      if (uses.has("write") && !loosens(effect)) uses.add("delete");
      return { ...base(about.glob), kind: "path", uses, glob, patterns, spares: [] };
    }
    case "connect":
      return {
        ...base(about.host),
        kind: "connect",
        hosts: hostPatterns(about.host, effect),
        spelled: about.host.text,
      };
    case "use": {
      const { tool, definition } = about;
      return { ...base(tool.name), kind: "use", tool: compileTool(tool, effect), definition };
    }
  }
}

/** Exempts a workspace inside a system directory from the built-in rules about that directory. */
export function sparingWorkspace(rule: Rule, { workspace }: PathContext): Rule {
  if (rule.kind !== "path" || rule.origin.level !== "built-in") return rule;
  const fixed = rule.patterns.filter(([first]) => first !== "**");
  if (fixed.length === 0) return rule;
  const names = foldedNames(workspace);
  return fixed.some((pattern) => matchNames(pattern, names, "within")) ? { ...rule, spares: names } : rule;
}

const foldedNames = boundedMemo(16, (path: string) => namesIn(path).map(fold));

/** Counts the characters that a rule spells out. Of two equal counts, a rule without wildcards is more specific. */
function spelledOut(words: readonly RuleWord[]): number {
  const letters = words.reduce((sum, { pattern }) => {
    if (!/[\\*?{},[]/.test(pattern)) return sum + pattern.length;
    const literal = pattern.replace(/\\./gs, "_").replace(/[*?{},]|\[[^\]]*\]/g, "");
    return sum + literal.length;
  }, 0);
  return letters + (words.every(({ literal }) => literal !== undefined) ? 0.5 : 0);
}

/** Returns the patterns of a host. Rules that tighten also apply to subdomains. */
function hostPatterns({ text }: RuleWord, effect: Effect): NamePattern[] {
  const host = escapeGlob(hostOf(text) ?? text).replaceAll("\\*", "*");
  return loosens(effect) ? [namePattern(host)] : [namePattern(host), namePattern(`*.${host}`)];
}

/**
 * Compiles a tool pattern. Without a server, rules that tighten apply to all servers, others only to built-in tools.
 */
function compileTool({ name, server }: ToolPattern, effect: Effect): ToolMatcher {
  const named = namePattern(name.pattern);
  const from = server && namePattern(server.pattern);
  return (tool) => {
    if (!matchSegment(named, tool.name)) return false;
    if (from === undefined) return tool.server === undefined || !loosens(effect);
    return tool.server !== undefined && matchSegment(from, tool.server);
  };
}

/** Compiles the name of a tool or host, in which a slash is an ordinary character. */
function namePattern(pattern: string): NamePattern {
  const [first] = parseSegments(pattern.replaceAll("/", "?"));
  return first === undefined || first === "**" ? { tokens: ["*"], shape: { kind: "anything" } } : first;
}

/** Returns the rules that keep every tool from Toolcrib's own data and programs, whatever other rules say. */
export function ownRules(context: PathContext): PathRule[] {
  const workspace = foldedNames(context.workspace);
  const rule = (effect: "secret" | "protected", directory: string, owner = "Toolcrib itself"): PathRule => ({
    kind: "path",
    effect,
    rank: Number.POSITIVE_INFINITY,
    spelledOut: directory.length,
    by: undefined,
    because: `it belongs to ${owner}`,
    origin: { level: "built-in", name: "built-in", line: 0, text: `${effect} ${directory}` },
    uses: new Set(["read", "write", "delete"]),
    glob: escapeGlob(directory),
    patterns: compilePath(escapeGlob(directory), context, "folded"),
    spares: [],
  });
  return [
    ...context.own.map((directory) => rule("secret", directory)),
    ...(context.served ?? []).map((path) => {
      const served = rule("secret", path, "the program that runs the tools");
      const isAround = served.patterns.some((pattern) => matchNames(pattern, workspace, "within"));
      return isAround ? { ...served, spares: workspace } : served;
    }),
    ...(context.code ?? []).map((directory) => rule("protected", directory)),
  ];
}
