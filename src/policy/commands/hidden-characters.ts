import type { NotUnderstood } from "./analysis.ts";

/** Characters that make a command read otherwise than it runs, or that no shell can be given. */
export function hiddenCharacters(command: string): NotUnderstood[] {
  return [...command.matchAll(hidden)].slice(0, 20).map(([character, ...rest]) => {
    const start = rest.at(-2) as unknown as number;
    const code = character.codePointAt(0)!;
    const name = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
    const reason = code === 0 ? "a NUL character" : `a character that cannot be seen (${name})`;
    return { reason, span: { start, end: start + character.length } };
  });
}

/**
 * Control characters but tab and newline, blanks that are none to the shell, marks without width (but in emoji), halves of
 * characters.
 */
const hidden =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\0-\x08\x0b-\x1f\x7f-\xa0\xad]|\u034f|\u180b|\u180c|\u180d|\u180f|[\ufe00-\ufe0e]|[\u061c\u115f\u1160\u1680\u180e\u2000-\u200c\u200e\u200f\u2028-\u202f\u205f-\u206f\u3000\u3164]|(?<![\xa9\xae\u203c-\u3299\udc00-\udfff\d#*])\ufe0f|(?<![\u2600-\u27bf\udc00-\udfff]|\ufe0f)\u200d|[\ufeff\uffa0\ufff9-\ufffb]|\udb40[\udc00-\udfff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
