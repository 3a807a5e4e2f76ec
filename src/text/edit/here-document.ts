/** Whether a line is the tag that ends a here-document of the shell, begun above with `<<TAG`. */
export function isHereDocumentEnd(lines: readonly string[], at: number): boolean {
  const tag = lines[at]!.trim();
  const opens = (line: string) => /<<-?\s*(["']?)([\w-]+)\1/.exec(line)?.[2] === tag;
  return /^\w[\w-]*$/.test(tag) && lines.slice(0, at).some(opens);
}
