/** A part of a text that looks like a secret, always within one line. */
export interface Secret {
  /** The name for users and models: "GitHub token". */
  readonly kind: string;
  readonly start: number;
  readonly end: number;
  /** Whether it continues the secret of the line before. */
  readonly continues?: true;
}

/** Returns the text that replaces a secret. */
export function markOf(kind: string): string {
  return `[redacted: ${kind}]`;
}

const beginning = "[redacted: ";
const mark = /\[redacted: [A-Za-z][A-Za-z ]{1,40}\]/g;

/** Returns the marks in the strings of a value, which a model may send back instead of the secret. */
export function marksIn(value: unknown): ReadonlySet<string> {
  const found = new Set<string>();
  collect(value, found, []);
  return found;
}

function collect(value: unknown, found: Set<string>, inside: readonly object[]): void {
  if (typeof value === "string") {
    if (value.includes(beginning)) for (const [text] of value.matchAll(mark)) found.add(text);
  } else if (typeof value === "object" && value !== null && !inside.includes(value)) {
    for (const part of Object.values(value)) collect(part, found, [...inside, value]);
  }
}
