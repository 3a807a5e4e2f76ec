/** A regular expression source that matches exactly `text`, with or without the `u` flag, outside character classes. */
export function escapeRegex(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}

/** Matches a whole name; `*` in the pattern matches any text. */
export function wildcardRegex(pattern: string, flags = "s"): RegExp {
  return new RegExp(`^${pattern.split("*").map(escapeRegex).join(".*")}$`, flags);
}
