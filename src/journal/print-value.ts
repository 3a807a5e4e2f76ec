/** Gives a text back without what looks like a secret in it; its name tells, too, whether it is one. */
export type Redact = (text: string, name: string) => string;

/**
 * What is on record of a call as JSON. Long texts are kept by their beginning: the journal tells what happened, it is no second copy of
 * every file. Secrets are left out of each before it is cut, so that no half of one stays.
 */
export function printValue(value: Readonly<Record<string, unknown>>, redact: Redact): string {
  const print = (key: string, part: unknown): unknown => {
    if (typeof part === "bigint") return `${part}n`;
    if (typeof part !== "string") return part;
    const safe = redact(part.slice(0, 2 * maxTextChars), key);
    return part.length <= maxTextChars ? safe : `${safe.slice(0, maxTextChars)}… (${part.length} characters)`;
  };
  try {
    return JSON.stringify(value, print);
  } catch (error) {
    const input = `[cannot be printed: ${(error as Error).message}]`;
    return JSON.stringify({ ...value, input }, print);
  }
}

const maxTextChars = 4_000;
