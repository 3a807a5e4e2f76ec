import { characterStart } from "../../../lib/truncate.ts";

/** A text in a fence that is longer than any in it; nothing for an empty one. */
export function fenced(text: string, language: string): string {
  if (text === "") return "";
  let longest = 2;
  for (const [run] of text.matchAll(/`{3,}/g)) longest = Math.max(longest, run.length);
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text.replace(/\n$/, "")}\n${fence}`;
}

/** The beginning and the end of a text that is too long, and how much is left out between. */
export function shorten(
  text: string,
  maxChars: number,
): { readonly text: string; readonly isShortened: boolean } {
  if (text.length <= maxChars) return { text, isShortened: false };
  const head = characterStart(text, Math.ceil(maxChars * 0.75));
  const tail = characterStart(text, text.length - Math.floor(maxChars * 0.25));
  return {
    text: `${text.slice(0, head)}\n… ${tail - head} characters left out …\n${text.slice(tail)}`,
    isShortened: true,
  };
}
