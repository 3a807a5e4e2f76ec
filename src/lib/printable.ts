/**
 * Text for a terminal, with whatever would steer it made visible: control characters, escapes, marks that turn the
 * direction of writing, invisible characters. Line ends and tabs stay.
 */
export function printable(text: string): string {
  return steering.test(text) ? text.replace(everySteering, show) : text;
}

/** The same for what has to stay on one line. */
export function printableLine(text: string): string {
  return printable(text).replace(/[\r\n\t]/g, show);
}

// Zero-width joiners stay: scripts and emoji need them.
const characters =
  "(?!\\n|\\t|\\r\\n)[\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Bidi_Control}\\u{ad}\\u{200b}\\u{2060}-\\u{2064}\\u{feff}\\u{e0000}-\\u{e007f}]";
const steering = new RegExp(characters, "u");
const everySteering = new RegExp(characters, "gu");

function show(character: string): string {
  return `<U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}>`;
}
