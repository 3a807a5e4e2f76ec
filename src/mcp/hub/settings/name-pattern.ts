import { wildcardRegex } from "../../../lib/escape-regex.ts";

/** Whether a name is one of these, where "*" stands for any part. */
export function namePattern(names: readonly string[]): (name: string) => boolean {
  const patterns = names.map((name) => wildcardRegex(name));
  return (name) => patterns.some((pattern) => pattern.test(name));
}
