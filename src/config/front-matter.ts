/** A Markdown file with front matter: `key: value` lines between two `---` lines. */
export interface FrontMatter {
  readonly fields: ReadonlyMap<string, string>;
  readonly body: string;
  /** The first line that is not understood, counted from 1. */
  readonly badLine?: number | undefined;
}

/**
 * Reads the simple subset of YAML that skills and commands use: one `key: value` per line, quoted or not, lists in
 * brackets or with dashes, and folded text (`>` or `|`). Lists become values with commas.
 */
export function readFrontMatter(text: string): FrontMatter {
  const lines = text.replace(/^\ufeff/, "").split(/\r?\n/);
  const end =
    lines[0]?.trimEnd() === "---"
      ? lines.findIndex((line, index) => index > 0 && line.trimEnd() === "---")
      : -1;
  if (end < 0) return { fields: new Map(), body: text };
  const fields = new Map<string, string>();
  let badLine: number | undefined;
  let key: string | undefined;
  for (const [index, line] of lines.slice(1, end).entries()) {
    const [, name, value = ""] = /^([A-Za-z][\w-]*)\s*:(?:\s+(.*))?$/.exec(line) ?? [];
    if (line.trim() === "" || /^\s*#/.test(line)) continue;
    if (name !== undefined) {
      key = name;
      fields.set(name, /^[>|][+-]?$/.test(value.trim()) ? "" : plain(value.trim()));
    } else if (key !== undefined && /^\s+\S|^- /.test(line)) {
      const item = /^\s*- (.*)/.exec(line)?.[1];
      const before = fields.get(key)!;
      const separator = before === "" ? "" : item === undefined ? " " : ", ";
      fields.set(key, `${before}${separator}${plain((item ?? line).trim())}`);
    } else badLine ??= index + 2;
  }
  return {
    fields,
    body: lines
      .slice(end + 1)
      .join("\n")
      .replace(/^\n+/, ""),
    badLine,
  };
}

function plain(value: string): string {
  const quoted = /^"((?:[^"\\]|\\.)*)"$|^'(.*)'$/.exec(value);
  if (quoted) return quoted[1]?.replace(/\\(.)/g, "$1") ?? quoted[2]!.replaceAll("''", "'");
  return value.replace(/^\[(.*)\]$/, "$1").replace(/\s+#.*$/, "");
}
