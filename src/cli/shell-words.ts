/** Words as they would be typed into a shell. */
export function toCommandLine(words: readonly string[]): string {
  return words.map(quote).join(" ");
}

/** The words of a line as a shell would cut it, where it holds nothing but words and quotes. */
export function fromCommandLine(line: string): readonly string[] {
  const words = line.match(/(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\]|['"\\])+/gs) ?? [];
  return words.map((word) =>
    word.replace(
      /'([^']*)'|"((?:\\.|[^"\\])*)"|\\(.)/gs,
      (_, single?: string, double?: string, escaped?: string) =>
        single ?? double?.replace(/\\(["\\$`])/g, "$1") ?? escaped ?? "",
    ),
  );
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
