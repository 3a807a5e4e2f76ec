/** Long texts are kept by their beginning: the journal tells what happened, it is no second copy of every file. */
export function printInput(input: unknown): string {
  try {
    return JSON.stringify(input, shorten) ?? "null";
  } catch (error) {
    return JSON.stringify(`[cannot be printed: ${(error as Error).message}]`);
  }
}

function shorten(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value !== "string" || value.length <= maxTextChars) return value;
  return `${value.slice(0, maxTextChars)}… (${value.length} characters)`;
}

const maxTextChars = 4_000;
