/**
 * What a patch or diff may say whose line ends are written as `\n`, so that it is all in one line: as JSON or Python
 * writes strings, else with nothing escaped but line ends and tabs. Likely readings first; other texts are as they are.
 */
export function unescapeWhole(text: string): readonly string[] {
  const line = text.trim();
  if (line.includes("\n") || !/\\n(?:\*\*\*|---|\+\+\+|@@)/.test(line)) return [text];
  const body = /^(["'])(.*)\1$/.exec(line)?.[2] ?? inObject(line) ?? line;
  const readings = [withoutEscapes(body, /\\([ntr])/g)];
  if (isEscaped(body, "'") && /^'|\\'/.test(line)) readings.unshift(withoutEscapes(body, /\\([\\'ntr])/g));
  if (isEscaped(body, '"')) readings.unshift(withoutEscapes(body, /\\(u[\da-fA-F]{4}|[\\"/ntr])/g));
  return [...new Set(readings)];
}

/** The patch in the JSON of a whole call. */
function inObject(line: string): string | undefined {
  if (!/^\{.*\}$/.test(line)) return undefined;
  return /"((?:[^"\\]|\\.)*\\n(?:\*\*\*|@@)(?:[^"\\]|\\.)*)"/.exec(line)?.[1];
}

/** Whether the text can stand between such quotes: none of them is bare, and no backslash. */
function isEscaped(text: string, quote: string): boolean {
  const rest = text.replace(/\\["'\\/bfnrtu]/g, "");
  return !rest.includes("\\") && !rest.includes(quote);
}

function withoutEscapes(text: string, pattern: RegExp): string {
  return text.replace(pattern, (_, code: string) =>
    code.length > 1 ? String.fromCharCode(Number.parseInt(code.slice(1), 16)) : (characters[code] ?? code),
  );
}

const characters: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };
