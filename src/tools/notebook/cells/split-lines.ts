/** Lines with their ends, as Jupyter stores a text: it takes for an end all that Python does. */
export function splitLines(text: string): readonly string[] {
  return text.match(lines) ?? [];
}

const lines =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this is about
  /[^\n\r\v\f\x1c-\x1e\x85\u2028\u2029]*(?:\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029])|[^\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+$/g;
