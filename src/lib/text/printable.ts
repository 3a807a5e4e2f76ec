/** Makes characters visible that would control a terminal or are invisible. Line ends and tabs stay. */
export function printable(text: string): string {
  return isPlain.test(text) ? text : text.replace(unprintable(), codePointOf);
}

/** Does the same as `printable`, also for line ends and tabs. */
export function printableLine(text: string): string {
  return printable(text).replace(/[\r\n\t]/g, codePointOf);
}

/**
 * Makes everything visible that can hide or turn text in a question, `\\u{200b}`: more than `printable`, because a question
 * must not mislead, and need not look good. Line ends, tabs and the selector after an emoji stay.
 */
export function showHidden(text: string): string {
  return isPlain.test(text) ? text : text.replace(hidden(), escapeOf);
}

/** Does the same as `showHidden`, also for line ends and tabs. */
export function showHiddenInLine(text: string): string {
  return showHidden(text).replace(/[\r\n\t]/g, escapeOf);
}

/** Quotes a path with control characters, which could make it look like another name or an output line. */
export function showPath(path: string): string {
  if (/^[ -~]*$/.test(path) || path.search(unprintableInPath()) < 0) return path;
  const toEscape = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(path).replace(unprintableInPath(), toEscape);
}

/** Printable ASCII, checked first because expressions with Unicode properties are slow to make. */
const isPlain = /^[\n\t -~]*$/;

// Zero-width joiners and variation selectors stay: scripts and emoji need them. The Braille blank looks like a space.
const unprintable = () =>
  /(?!\n|\t|\r\n|\u200c|\u200d|[\ufe00-\ufe0f])[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\u2800]/gu;
const hidden = () =>
  /(?!\n|\t|\r\n|(?<=\p{Extended_Pictographic})\ufe0f)[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\u2800]/gu;
const unprintableInPath = () => /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

function codePointOf(character: string): string {
  return `<U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}>`;
}

function escapeOf(character: string): string {
  return `\\u{${character.codePointAt(0)!.toString(16)}}`;
}
