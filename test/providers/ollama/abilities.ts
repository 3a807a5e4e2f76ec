/** What a model can do, as /api/show tells. */
export function abilitiesOf(model: string): readonly string[] {
  const known = families.find(({ name }) => name.test(model));
  return ["completion", ...(known?.abilities ?? ["tools", "thinking"])];
}

const families: readonly { name: RegExp; abilities: readonly string[] }[] = [
  { name: /-vl(:|$)/, abilities: ["vision", "tools", "thinking"] },
  { name: /^gemma3(:|$)/, abilities: ["vision"] },
  { name: /^llama3/, abilities: ["tools"] },
];

/** How much it could read, if it were told to. */
export const contextLength = 131_072;

/** How much it reads if it is told nothing: no length for an agent. */
export const usualContext = 4_096;
