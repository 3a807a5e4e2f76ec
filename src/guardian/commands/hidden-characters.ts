import type { NotUnderstood } from "./analysis.ts";

/** Characters that make a command read otherwise than it runs, or that no shell can be given. */
export function hiddenCharacters(command: string): NotUnderstood[] {
  return [...command.matchAll(hidden)].slice(0, 20).map(([character, ...rest]) => {
    const start = rest.at(-2) as unknown as number;
    const code = character.charCodeAt(0);
    const name = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
    const reason = code === 0 ? "a NUL character" : `a character that cannot be seen (${name})`;
    return { reason, span: { start, end: start + character.length } };
  });
}

/** Control characters but tab and newline, marks that turn the direction of text, and halves of characters. */
const hidden =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
