/** `text` in single quotes: one word for sh, bash and zsh, whatever it contains. */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** `word` as a user would type it: quoted only when a shell would read it differently. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : shellQuote(word);
}

/** Words as typed into a shell. The first word is a program: unquoted, `a=b` would be an assignment and `%1` a job. */
export function toCommandLine(words: readonly string[]): string {
  const quote = (word: string, index: number) =>
    index === 0 && /[%=]/.test(word) ? shellQuote(word) : shellWord(word);
  return words.map(quote).join(" ");
}

/** Splits a line into words as a shell does, when it contains only words and quotes. */
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
