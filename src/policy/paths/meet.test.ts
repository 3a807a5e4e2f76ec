// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the commands are shell
import fc from "fast-check";
import { expect, it } from "vitest";
import { testContext } from "../../../test/support/policy/decide.ts";
import { rounds } from "../../../test/support/rounds.ts";
import { matchSegment, type NamePattern, parseSegments } from "../../lib/glob/glob-segment.ts";
import { analyseCommand } from "../commands/analyse-command.ts";
import { type Meeting, meet, waysToMeet } from "./meet.ts";
import { compilePath } from "./path-pattern.ts";
import { type PathTarget, wordPath } from "./path-target.ts";

/** How the first operand of `cat` meets a rule about a path. */
function meeting(operand: string, rule: string): Meeting | PathTarget {
  const { commands } = analyseCommand(`cat ${operand}`);
  const { words, directory } = commands.at(-1)!;
  const target = wordPath(words[1]!, directory, testContext, new Map());
  if (target.kind !== "open") return target;
  const found = target.alternatives.flatMap(({ names }) =>
    compilePath(rule, testContext, "folded").map((pattern) => meet(pattern, names)),
  );
  return found.includes("aimed") ? "aimed" : found.includes("loosely") ? "loosely" : "no";
}

it.each<readonly [operand: string, rule: string, meeting: Meeting]>([
  [".e*", ".env", "aimed"],
  [".[e]nv", ".env", "aimed"],
  [".??v", ".env", "aimed"],
  ["*env", ".env", "no"],
  ["*", ".env", "no"],
  ["*", "*.pem", "loosely"],
  ["s*", "*.pem", "loosely"],
  ["*.p?m", "*.pem", "aimed"],
  ["*.ts", "*.pem", "no"],
  ["*.ts", "id_rsa*", "no"],
  ["i*", "id_rsa*", "aimed"],
  ["*.json", "service-account*.json", "aimed"],
  ["*/.e*", ".env", "aimed"],
  ["src/*", "config/**", "no"],
  ["c*/x", "config/**", "aimed"],
  ["*/x", "config/**", "loosely"],
  ["{.env,x}", ".env", "loosely"],
  ["x{1,2}", ".env", "no"],
  ['"$x"', ".env", "loosely"],
  ['"$x.ts"', ".env", "loosely"],
  ['"$x/.e"*', ".env", "aimed"],
  ['".e$x"', ".env", "loosely"],
  ['"${f%.txt}.md"', ".env.*", "loosely"],
  ["src/.*/tokens/*", "config/tokens/**", "aimed"],
  ["~/.s*/id", "**/.ssh/**", "aimed"],
  ["/etc/sh*", "/etc/shadow", "aimed"],
  ["/etc/*", "/etc/shadow", "loosely"],
  ["/usr/*", "/etc/shadow", "no"],
])("a path %s matches a rule for %s: %s", (operand, rule, expected) => {
  expect(meeting(operand, rule)).toBe(expected);
});

const patterns = fc
  .array(fc.constantFrom("a", "b", ".", "*", "?", "[ab]", "[!a]"), { maxLength: 5 })
  .map((parts) => parts.join(""))
  .filter((text) => !/^\*\*+$/.test(text));
const names = fc.array(fc.constantFrom("a", "b", "."), { maxLength: 5 }).map((parts) => parts.join(""));

it("two patterns that match one name always overlap", () => {
  const parse = (text: string) => parseSegments(text)[0] as NamePattern;
  fc.assert(
    fc.property(patterns, patterns, names, (one, other, name) => {
      const both = matchSegment(parse(one), name) && matchSegment(parse(other), name);
      return !both || waysToMeet(parse(one).tokens, parse(other).tokens) !== 0;
    }),
    { numRuns: rounds(4000) },
  );
});
