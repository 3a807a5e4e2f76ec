/** The capabilities of a model, as /api/show reports them. */
export function abilitiesOf(model: string): readonly string[] {
  const known = families.find(({ name }) => name.test(model));
  return ["completion", ...(known?.abilities ?? ["tools", "thinking"])];
}

const families: readonly { name: RegExp; abilities: readonly string[] }[] = [
  { name: /-vl(:|$)/, abilities: ["vision", "tools", "thinking"] },
  { name: /^gemma3(:|$)/, abilities: ["vision"] },
  { name: /^llama3/, abilities: ["tools"] },
];

/** The longest context that it supports. */
export const contextLength = 131_072;

/** The default context length, which is too short for an agent. */
export const usualContext = 4_096;
