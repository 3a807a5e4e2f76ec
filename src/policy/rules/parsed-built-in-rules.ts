import { builtInRules } from "../built-in-rules.ts";
import { type ParsedRules, parseRules } from "./parse-rules.ts";

/** The built-in rules, parsed. The build replaces them with their value, which must therefore be plain data. */
export const parsedBuiltInRules: ParsedRules = parseRules(builtInRules);
