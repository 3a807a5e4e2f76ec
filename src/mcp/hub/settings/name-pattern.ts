/** Whether a name is one of these, where "*" stands for any part. */
export function namePattern(names: readonly string[]): (name: string) => boolean {
  const patterns = names.map((name) => new RegExp(`^${name.split("*").map(escapeText).join(".*")}$`, "s"));
  return (name) => patterns.some((pattern) => pattern.test(name));
}

function escapeText(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
