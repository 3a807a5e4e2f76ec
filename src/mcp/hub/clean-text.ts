/**
 * Words of another server, for a model: without what steers terminals, hides from people or turns the direction of
 * writing, and not longer than `maxChars`.
 */
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

/** The same on one line. */
export function cleanLine(given: unknown, maxChars: number): string {
  return cleanText(given, maxChars).replace(/\s+/g, " ");
}

/** What a tool gave, as it is but for what steers terminals and turns the direction of writing. */
export function withoutSteering(text: string): string {
  return text.toWellFormed().replace(escapes, "").replace(steering, "");
}

const steering = /(?![\n\t\r])[\p{Cc}\p{Bidi_Control}]/gu;

// biome-ignore lint/suspicious/noControlCharactersInRegex: it is what is looked for
const escapes = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g;

// Marks that only join or order what stands around them are no words either.
const unseen = /(?![\n\t])[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u{115f}\u{1160}\u{3164}\u{ffa0}]/gu;
