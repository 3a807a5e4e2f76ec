import type { AnyTool } from "../contract/tool.ts";
import type { OfferedTool } from "./dialect.ts";

/** Rewrites a text that names tools and fields canonically for a dialect. */
export type Rewrite = (text: string) => string;

/**
 * Replaces canonical tool names with the dialect's. Drops text that needs tools that are not offered: whole sentences,
 * or only their alternatives (", or ", " or "), clauses and parentheses.
 */
export function rewriteToolNames(
  names: ReadonlyMap<string, string>,
  known: (name: string) => boolean,
): Rewrite {
  const missingIn = (text: string) =>
    (text.match(toolName) ?? []).filter((name) => known(name) && !names.has(name));
  const offeredIn = (text: string) => (text.match(toolName) ?? []).filter((name) => names.has(name));
  const needsMissing = (text: string) => missingIn(text).length > 0 && offeredIn(text).length === 0;
  const isFileName = (sentence: string) => sentence.startsWith("Did you mean ");
  return (text) => {
    if (!text.includes(".") || missingIn(text).length + offeredIn(text).length === 0) return text;
    const possible = text.split(sentenceEnds).flatMap((sentence) => {
      if (isFileName(sentence) || missingIn(sentence).length === 0) return [sentence];
      const left = withoutMissing(sentence, needsMissing);
      return left === "" || missingIn(left).length > 0 ? [] : [left];
    });
    if (/^[A-Z]/.test(text) && !beginsWithTool.test(possible[0] ?? ""))
      possible[0] &&= possible[0].charAt(0).toUpperCase() + possible[0].slice(1);
    return possible
      .map((each) => (isFileName(each) ? each : each.replace(toolName, (name) => names.get(name) ?? name)))
      .join(" ")
      .replace(/;$/, ".");
  };
}

/** Returns a sentence without the parts that are not possible; empty if none is left. */
function withoutMissing(sentence: string, isMissing: (text: string) => boolean): string {
  const end = /[.;]$/.exec(sentence)?.[0] ?? "";
  const plain = sentence
    .slice(0, sentence.length - end.length)
    .replace(/ \([^()]*\)/g, (part) => (isMissing(part) ? "" : part))
    .replace(alternatives, (both, one: string, other: string) => {
      if (isMissing(one) === isMissing(other)) return both;
      return isMissing(one) ? other : one;
    });
  // An alternative that also names an offered tool loses only its clauses about missing tools.
  const ways = plain
    .split(", or ")
    .filter((way) => !isMissing(way))
    .map((way) =>
      way
        .split(clauseEnds)
        .filter((clause) => !isMissing(clause))
        .join(", "),
    );
  return ways.length === 0 ? "" : ways.join(", or ") + end;
}

/**
 * Replaces canonical field names in backticks with the dialect's. Drops alternatives (", or ") that need a missing
 * field.
 */
export function rewriteFieldNames(
  { input, fields = {} }: Pick<OfferedTool, "input" | "fields">,
  tool: AnyTool,
): Rewrite {
  const offered = new Set(fieldsOf(input));
  const known = new Set(fieldsOf(tool.input));
  const isMissing = (field: string) => known.has(field) && !offered.has(fields[field] ?? field);
  const isPossible = (text: string) => ![...text.matchAll(fieldName)].some(([, field]) => isMissing(field!));
  return (text) => {
    if (text.startsWith("It takes: ")) return `It takes: ${[...offered].join(", ")}.`;
    if (!text.includes("`")) return text;
    const sentences = text.split(sentenceEnds).flatMap((sentence) => {
      const ways = sentence.replace(/\.$/, "").split(", or ");
      const possible = ways.filter(isPossible);
      if (possible.length === ways.length) return [sentence];
      return possible.length === 0 ? [] : [`${possible.join(", or ")}.`];
    });
    return sentences
      .join(" ")
      .replace(fieldName, (word, field) =>
        known.has(field) && fields[field] ? `\`${fields[field]}\`` : word,
      );
  };
}

/** Maps canonical names to dialect names. The first tool whose main canonical tool has the name takes precedence. */
export function namesOf(tools: readonly Named[]): ReadonlyMap<string, string> {
  const just = tools.map(({ name, canonical = name }) => [canonical, name] as const);
  const also = tools.flatMap((tool) => (tool.also ?? []).map((canonical) => [canonical, tool.name] as const));
  return new Map([...just, ...also].reverse());
}

type Named = Pick<OfferedTool, "name" | "canonical" | "also">;

function fieldsOf(input: OfferedTool["input"]): readonly string[] {
  const { shape = {} } = input._zod.def as { shape?: object };
  return Object.keys(shape);
}

/** Matches "file.read or search.grep". */
const alternatives = /\b([a-z]+\.[a-z_]+) (?:or|and) ([a-z]+\.[a-z_]+)\b/g;
/** Commas inside JSON are not the ends of clauses. */
const clauseEnds = /, (?=(?:or |then |and )?[a-z])(?![^{}]*\})/;
const sentenceEnds = /(?<=[.;?]) (?=\S)/;
const toolName = /\b[a-z]+\.[a-z_]+\b/g;
const beginsWithTool = /^[a-z]+\.[a-z_]+\b/;
const fieldName = /`(\w+)`/g;
