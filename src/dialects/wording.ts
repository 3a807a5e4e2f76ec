/**
 * Our own words name tools as we do; each becomes the name that the model knows. A sentence that names only tools which
 * are not on offer is left out: it would send the model where it cannot go.
 */
export function wordingFor(names: ReadonlyMap<string, string>, known: (name: string) => boolean): Wording {
  const leadsNowhere = (sentence: string) => {
    const named = (sentence.match(toolName) ?? []).filter(known);
    return named.length > 0 && !named.some((name) => names.has(name));
  };
  return (text) => {
    if (!text.includes(".")) return text;
    const sentences = text.split(sentenceEnds);
    const possible = sentences.filter((sentence) => !leadsNowhere(sentence));
    const [first = "", ...others] = possible.length === 0 ? sentences : possible;
    const isNewStart = first !== sentences[0] && !beginsWithTool.test(first);
    return [isNewStart ? capitalised(first) : first, ...others]
      .join(" ")
      .replace(/;$/, ".")
      .replace(toolName, (name) => names.get(name) ?? name);
  };
}

/** What tools are called, by their canonical names; of several for one the first. */
export function namesOf(
  tools: readonly { readonly name: string; readonly canonical?: string }[],
): ReadonlyMap<string, string> {
  return new Map(tools.map(({ name, canonical = name }) => [canonical, name] as const).reverse());
}

export type Wording = (text: string) => string;

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const sentenceEnds = /(?<=[.;]) (?=\S)/;
const toolName = /\b[a-z]+\.[a-z_]+\b/g;
const beginsWithTool = /^[a-z]+\.[a-z_]+\b/;
