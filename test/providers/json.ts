/** Untyped JSON from the wire; the checks validate it. */
// biome-ignore lint/suspicious/noExplicitAny: any JSON
export type Json = any;

/** Whether a text is a JSON object. */
export function isObjectJson(text: unknown): boolean {
  try {
    const value: unknown = JSON.parse(text as string);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
