import type { AnyTool } from "../contract/tool.ts";
import type { OfferedTool } from "./dialect.ts";
import type { Wording } from "./wording.ts";

/**
 * Our hints name a tool's fields in backticks, as the canonical tool has them; here they get the dialect's names, and ways
 * out that need a field which the dialect does not offer are left out.
 */
export function fieldWords(
  { input, fields = {} }: Pick<OfferedTool, "input" | "fields">,
  tool: AnyTool,
): Wording {
  const offered = new Set(fieldsOf(input));
  const known = new Set(fieldsOf(tool.input));
  const isMissing = (field: string) => known.has(field) && !offered.has(fields[field] ?? field);
  const isPossible = (words: string) => ![...words.matchAll(named)].some(([, field]) => isMissing(field!));
  return (text) => {
    if (text.startsWith("It takes: ")) return `It takes: ${[...offered].join(", ")}.`;
    if (!text.includes("`")) return text;
    const sentences = text.split(/(?<=[.;]) (?=\S)/).flatMap((sentence) => {
      const ways = sentence.replace(/\.$/, "").split(", or ");
      const possible = ways.filter(isPossible);
      if (possible.length === ways.length) return [sentence];
      return possible.length === 0 ? [] : [`${possible.join(", or ")}.`];
    });
    return sentences
      .join(" ")
      .replace(named, (word, field) => (known.has(field) && fields[field] ? `\`${fields[field]}\`` : word));
  };
}

const named = /`(\w+)`/g;

function fieldsOf(input: OfferedTool["input"]): readonly string[] {
  const { shape = {} } = input._zod.def as { shape?: object };
  return Object.keys(shape);
}
