import type { FoundTool } from "../contract/tool.ts";

/** Returns the tools that match a query, best first. A word counts most in the name, and more when few tools have it. */
export function rankTools<Each extends FoundTool>(tools: readonly Each[], query: string): readonly Each[] {
  const wanted = [...new Set(wordsIn(query))].filter((word) => !emptyWords.has(word));
  const indexed = tools.map((tool) => ({ tool, texts: textsOf(tool) }));
  const weightOf = (word: string) => {
    const having = indexed.filter(({ texts }) => hitOf(texts, word) > 0).length;
    return Math.log(1 + tools.length / (1 + having));
  };
  const weights = new Map(wanted.map((word) => [word, weightOf(word)]));
  return indexed
    .map(({ tool, texts }) => ({
      tool,
      score: wanted.reduce((sum, word) => sum + hitOf(texts, word) * weights.get(word)!, 0),
    }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .map(({ tool }) => tool);
}

type Texts = readonly { readonly worth: number; readonly words: ReadonlySet<string> }[];

function textsOf({ name, description, inputSchema }: FoundTool): Texts {
  const properties = (inputSchema.properties ?? {}) as Record<string, { description?: string }>;
  const fields = Object.entries(properties).flatMap(([field, schema]) => [field, schema.description ?? ""]);
  return [
    { worth: 6, words: new Set(wordsIn(name)) },
    { worth: 3, words: new Set(wordsIn(description)) },
    { worth: 1, words: new Set(wordsIn(fields.join(" "))) },
  ];
}

function hitOf(texts: Texts, word: string): number {
  return Math.max(0, ...texts.map(({ worth, words }) => (words.has(word) ? worth : 0)));
}

function wordsIn(text: string): readonly string[] {
  const spaced = text.replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2").toLowerCase();
  return (spaced.match(/[\p{L}\p{N}]+/gu) ?? []).map(stem);
}

/** Maps "commits" to "commit" and "undoing" to "undo". */
function stem(word: string): string {
  return word.length > 4 ? word.replace(/(?:ing|ies|ed|es|s|e|y)$/, "") : word;
}

const emptyWords = new Set(
  wordsIn("a an the of to in on for with by at and or is it what which how i my me this that"),
);
