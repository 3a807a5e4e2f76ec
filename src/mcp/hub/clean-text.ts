/** Removes control, invisible and bidirectional characters from the text of another server, and cuts it at `maxChars`. */
export function cleanText(given: unknown, maxChars: number): string {
  if (typeof given !== "string") return "";
  const text = given
    .slice(0, 4 * maxChars)
    .toWellFormed()
    .replaceAll("\r\n", "\n")
    .replace(escapes, "")
    .replace(unseen, "")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
  if (text.length <= maxChars) return text;
  return `${text
    .slice(0, maxChars - 1)
    .toWellFormed()
    .replace(/\ufffd$/, "")}…`;
}

/** Like `cleanText`, but on one line. */
export function cleanLine(given: unknown, maxChars: number): string {
  return cleanText(given, maxChars).replace(/\s+/g, " ");
}

/** Removes control and bidirectional characters from the output of a tool. */
export function withoutControls(text: string): string {
  return text.toWellFormed().replace(escapes, "").replace(steering, "");
}

const steering = /(?![\n\t\r])[\p{Cc}\p{Bidi_Control}]/gu;

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are to be removed
const escapes = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g;

// These include marks that only join or order other characters.
const unseen = /(?![\n\t])[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u{115f}\u{1160}\u{3164}\u{ffa0}]/gu;
