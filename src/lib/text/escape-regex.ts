/**
 * Returns a regular expression source that matches exactly `text` outside character classes, with or without the `u`
 * flag.
 */
export function escapeRegex(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}

/** Returns an expression that matches a whole name, in which `*` matches any text. */
export function wildcardRegex(pattern: string, flags = "s"): RegExp {
  return new RegExp(`^${pattern.split("*").map(escapeRegex).join(".*")}$`, flags);
}
