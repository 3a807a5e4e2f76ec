import type { AnyTool } from "../contract/tool.ts";
import type { OfferedTool } from "./dialect.ts";

/** Rewrites a text that names tools and fields canonically for a dialect. */
export type Rewrite = (text: string) => string;

/** Replaces canonical tool names with the dialect's. Drops sentences that name only tools which are not offered. */
export function rewriteToolNames(
  names: ReadonlyMap<string, string>,
  known: (name: string) => boolean,
): Rewrite {
  const namesOnlyMissing = (sentence: string) => {
    const named = sentence.startsWith("Did you mean ") ? [] : (sentence.match(toolName) ?? []).filter(known);
    return named.length > 0 && !named.some((name) => names.has(name));
  };
  return (text) => {
    if (!text.includes(".")) return text;
    const sentences = text.split(sentenceEnds);
    const possible = sentences.filter((sentence) => !namesOnlyMissing(sentence));
    const [first = "", ...others] = possible.length === 0 ? sentences : possible;
    const isNewStart = first !== sentences[0] && !beginsWithTool.test(first);
    return [isNewStart ? capitalised(first) : first, ...others]
      .join(" ")
      .replace(/;$/, ".")
      .replace(toolName, (name, at: number, all: string) =>
        // A file name, not a tool.
        all.slice(0, at).endsWith("Did you mean ") ? name : (names.get(name) ?? name),
      );
  };
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

/** Canonical name to dialect name. A tool that resolves only to this one takes precedence, then the first. */
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

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const sentenceEnds = /(?<=[.;]) (?=\S)/;
const toolName = /\b[a-z]+\.[a-z_]+\b/g;
const beginsWithTool = /^[a-z]+\.[a-z_]+\b/;
const fieldName = /`(\w+)`/g;
