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
    // Most is written down as it is, and then nothing has to be asked about each part.
    return isWrittenAsItIs("", value, redact) ? JSON.stringify(value) : JSON.stringify(value, print);
  } catch (error) {
    const input = `[cannot be printed: ${(error as Error).message}]`;
    return JSON.stringify({ ...value, input }, print);
  }
}

const maxTextChars = 4_000;

function isWrittenAsItIs(key: string, part: unknown, redact: Redact, depth = 0): boolean {
  if (typeof part === "string") return part.length <= maxTextChars && redact(part, key) === part;
  if (typeof part !== "object" || part === null) return typeof part !== "bigint";
  // What is deeper may never end.
  if (depth === maxDepth || "toJSON" in part) return false;
  return Object.keys(part).every((name) =>
    isWrittenAsItIs(name, (part as Record<string, unknown>)[name], redact, depth + 1),
  );
}

const maxDepth = 8;
