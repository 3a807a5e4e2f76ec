import { isRecord } from "../../lib/json/is-record.ts";

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

/**
 * Returns the schema of a server's form without control characters; undefined when it is too long, or names a field or
 * keyword with characters that are not shown. Answers repeat the names of fields.
 */
export function cleanSchema(schema: object | undefined): Readonly<Record<string, unknown>> | undefined {
  const isUsable = isRecord(schema) && JSON.stringify(schema).length <= maxSchemaChars;
  return isUsable && !hasUnclearNames(schema) ? (cleanTexts(schema) as Record<string, unknown>) : undefined;
}

/** Shown below every form of a server. */
export const formWarning = "That server gets your answer. Do not enter passwords or keys.";
const maxSchemaChars = 20_000;

function hasUnclearNames(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([name, part]) => cleanLine(name, 200) !== name || hasUnclearNames(part));
}

function cleanTexts(value: unknown): unknown {
  if (typeof value === "string") return cleanText(value, 2_000);
  if (Array.isArray(value)) return value.map(cleanTexts);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, cleanTexts(part)]));
}
