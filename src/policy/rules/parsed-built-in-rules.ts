import { builtInRules } from "../built-in-rules.ts";
import { type FiledRules, fileRules } from "../paths/name-index.ts";
import { compilePath } from "../paths/path-pattern.ts";
import { type ParsedRules, parseRules } from "./parse-rules.ts";
import { loosens } from "./rule.ts";

// The build replaces these with their values, which must therefore be plain data.

/** The built-in rules, parsed. */
export const parsedBuiltInRules: ParsedRules = parseRules(builtInRules);

/** The built-in rules about paths, by their number. None is filed under a name of the home or the workspace. */
export const filedBuiltInRules: FiledRules = fileRules(
  parsedBuiltInRules.rules.map(({ about, effect }) => {
    if (about.kind !== "path") return { patterns: [] };
    const context = { workspace: "/\0", home: "/\0", own: [] };
    return { patterns: compilePath(about.glob.pattern, context, loosens(effect) ? "exact" : "folded") };
  }),
);
