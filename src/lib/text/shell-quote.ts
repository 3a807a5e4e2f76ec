/** Returns `text` in single quotes: a single word for sh, bash and zsh. */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Quotes `word` only when a shell would read it differently otherwise. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : shellQuote(word);
}

/** Formats a command. Quotes a first word such as `a=b` or `%1`, which would be an assignment or a job. */
export function toCommandLine(words: readonly string[]): string {
  const quote = (word: string, index: number) =>
    index === 0 && /[%=]/.test(word) ? shellQuote(word) : shellWord(word);
  return words.map(quote).join(" ");
}

/** Splits a line into words as a shell does. The line must contain only words and quotes. */
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
