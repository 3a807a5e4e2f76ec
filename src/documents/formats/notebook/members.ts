/** What an object of JSON holds. */
export type Members = Readonly<Record<string, unknown>>;

/** Of what is no object: none. */
export function membersOf(value: unknown): Members {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Members) : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Texts are stored whole, or as lists of lines. */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return listOf(value)
    .filter((line) => typeof line === "string")
    .join("");
}
