import type { Risk } from "../../contract/access.ts";
import { ToolError } from "../../contract/error.ts";
import { expandBraces } from "../../lib/glob/glob-braces.ts";
import { GlobSyntaxError, parseSegments } from "../../lib/glob/glob-segment.ts";
import { hostOf } from "../hosts.ts";
import { RuleSyntaxError, type RuleWord, unknownWord } from "./read-words.ts";

/** `@read` and its like stand alone. */
export function checkClass(words: readonly RuleWord[]): readonly RuleWord[] {
  const [first, ...more] = words;
  if (!first?.bare || !first.text.startsWith("@")) return words;
  if (!commandClasses.includes(first.text as `@${Risk}`))
    throw unknownWord(
      first,
      `the classes of commands are ${commandClasses.join(", ")}; quote a program of that name`,
    );
  if (more[0] !== undefined) throw unknownWord(more[0], `nothing follows ${first.text}`);
  return words;
}

const commandClasses = ["@read", "@write", "@execute", "@network", "@destructive"] as const;

/** A rule is about hosts, so that one with a port or a path would say more than it means. */
export function checkHost({ text, column }: RuleWord): void {
  if (hostOf(text) !== undefined && !/[/@?#]|^[^:[]*:[^:]*$|\]:/.test(text)) return;
  throw new RuleSyntaxError(
    `"${text}" is no host`,
    column,
    "Name a host without port and path; * stands for any part.",
  );
}

/** Throws where a glob cannot be read. */
export function checkGlob({ pattern, column }: RuleWord): void {
  // Nothing else can be wrong.
  if (!/[[{}\\]/.test(pattern)) return;
  if (/^(?:[^{]*\{){101}/.test(pattern))
    throw new RuleSyntaxError("these are too many braces", column, "Write several rules.");
  try {
    for (const text of expandBraces(pattern)) parseSegments(text);
  } catch (error) {
    if (error instanceof GlobSyntaxError)
      throw new RuleSyntaxError(error.message, column + error.index, error.hint);
    if (error instanceof ToolError) throw new RuleSyntaxError(error.message, column, "Write several rules.");
    throw error;
  }
}
