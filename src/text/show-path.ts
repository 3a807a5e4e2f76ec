/** Names may hold anything; a line end in one must not look like a line of the answer. */
export function showPath(path: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are meant
  return /[\u0000-\u001f\u007f]/.test(path) ? JSON.stringify(path) : path;
}
