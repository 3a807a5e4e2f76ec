import { isRecord } from "../../lib/json/is-record.ts";
import { printableLine } from "../../lib/text/printable.ts";
import { cleanSchema, formWarning } from "../../mcp/hub/clean-text.ts";
import type { Elicit, ElicitAnswer } from "../../mcp/types.ts";
import { quoteText } from "../approvals/show-request.ts";

type Question = Parameters<Elicit>[0];
type Value = NonNullable<ElicitAnswer["content"]>[string];

/** Shows lines and reads one line that the user types; undefined when the user cancels. */
export type ReadInput = (lines: readonly string[], signal: AbortSignal) => Promise<string | undefined>;

/**
 * Asks the user what an MCP server wants to know: first whether to answer at all, then field by field. All text of the
 * server is quoted under the server's name, so that it cannot look like a question of Toolcrib.
 */
export async function askByForm(
  { server, message, params, signal }: Question,
  read: ReadInput,
  columns: number,
): Promise<ElicitAnswer> {
  const fields = fieldsOf(params.requestedSchema);
  const name = `MCP server ${printableLine(server)}`;
  const asks = [`The ${name} asks you:`, ...quoteText(message, columns)];
  if (fields === undefined) {
    const lines = [...asks, "Its form cannot be shown here. Press Enter to continue."];
    await read(lines, signal);
    return { action: "cancel" };
  }
  // The last line names the server, because a long text can push the first lines off the screen.
  const first = [...asks, formWarning, `Answer the ${name}? Type yes or no.`];
  const isWanted = await readValue(first, read, signal, readYesOrNo);
  if (isWanted === undefined) return { action: "cancel" };
  if (!isWanted.value) return { action: "decline" };
  const content: Record<string, Value> = {};
  for (const [index, field] of fields.entries()) {
    const lines = [
      ...quoteText(field.title, columns),
      ...(field.fallback === undefined ? [] : quoteText(`Default: ${field.fallback}`, columns)),
      ...field.choices.flatMap(({ label }, at) => quoteText(`${at + 1}. ${label}`, columns)),
      `Field ${index + 1} of ${fields.length} for the ${name}: ${describe(field)}`,
    ];
    const given = await readValue(lines, read, signal, (text) => readField(text, field));
    if (given === undefined) return { action: "cancel" };
    if (given.value !== undefined) content[field.name] = given.value;
  }
  return { action: "accept", content };
}

/** Declines every form, and says so. */
export function declineForms(remark: (line: string) => void): Elicit {
  return async ({ server }) => {
    remark(
      `The MCP server ${printableLine(server)} asked you something. Toolcrib declined, because there is no terminal to ask on.\n`,
    );
    return { action: "decline" };
  };
}

/** A field of a form that can be typed in one line. */
interface Field {
  readonly name: string;
  /** The server's name and description of the field. */
  readonly title: string;
  readonly type: "string" | "number" | "integer" | "boolean" | "array";
  /** The values that the user can choose from; empty for a field that is typed. */
  readonly choices: readonly { readonly value: string; readonly label: string }[];
  readonly isRequired: boolean;
  readonly fallback: Value | undefined;
  readonly limits: Readonly<Record<string, unknown>>;
}

/** Returns the fields of a form; undefined when one of them cannot be typed. */
function fieldsOf(given: object | undefined): readonly Field[] | undefined {
  const schema = cleanSchema(given);
  const properties = Object.entries(isRecord(schema?.properties) ? schema.properties : {});
  if (schema === undefined || properties.length > maxFields) return undefined;
  const required = Array.isArray(schema.required) ? schema.required : [];
  const fields = properties.map(([name, property]) => fieldOf(name, property, required.includes(name)));
  return fields.every((field) => field !== undefined) ? fields : undefined;
}

const maxFields = 20;
const maxChoices = 100;

function fieldOf(name: string, given: unknown, isRequired: boolean): Field | undefined {
  if (!isRecord(given)) return undefined;
  const { type, title = name, description, default: fallback } = given;
  const isKnown = ["string", "number", "integer", "boolean", "array"].includes(String(type));
  const choices = choicesOf(type === "array" ? given.items : given);
  if (!isKnown || (type === "array" && choices.length === 0) || choices.length > maxChoices) return undefined;
  return {
    name,
    title: [title, description].filter((text) => typeof text === "string" && text !== "").join(": "),
    type: type as Field["type"],
    choices,
    isRequired,
    fallback: isValue(fallback) ? fallback : undefined,
    limits: given,
  };
}

/** Returns the choices of a field, in any of the protocol's forms. */
function choicesOf(given: unknown): Field["choices"] {
  if (!isRecord(given)) return [];
  const { enum: values, enumNames: names, oneOf, anyOf } = given;
  if (Array.isArray(values))
    return values.map((value, at) => ({
      value: String(value),
      label: String((Array.isArray(names) ? names[at] : undefined) ?? value),
    }));
  const titled = Array.isArray(oneOf) ? oneOf : Array.isArray(anyOf) ? anyOf : [];
  return titled
    .filter((each) => isRecord(each) && typeof each.const === "string")
    .map(({ const: value, title }) => ({ value, label: typeof title === "string" ? title : value }));
}

function isValue(value: unknown): value is Value {
  if (Array.isArray(value)) return value.every((each) => typeof each === "string");
  return ["string", "number", "boolean"].includes(typeof value);
}

/** Says in Toolcrib's own words what to type. */
function describe(field: Field): string {
  const { type, choices, isRequired, fallback } = field;
  const typed = { string: "text", number: "a number", integer: "a whole number", boolean: "yes or no" };
  const how =
    type === "array"
      ? "numbers from the list, with commas"
      : choices.length > 0
        ? "a number from the list"
        : (formatOf(field)?.what ?? typed[type]);
  const empty =
    fallback !== undefined ? ", or Enter for the default" : isRequired ? "" : ", or Enter to skip it";
  return `type ${how}${empty}`;
}

type Reading = { readonly value: Value | undefined } | { readonly problem: string };

/** Reads until the input is valid; undefined when the user cancels or fails too often. */
async function readValue(
  lines: readonly string[],
  read: ReadInput,
  signal: AbortSignal,
  parse: (text: string) => Reading,
): Promise<{ readonly value: Value | undefined } | undefined> {
  let shown = lines;
  for (let tries = 0; tries < maxTries; tries += 1) {
    const text = await read(shown, signal);
    if (text === undefined) return undefined;
    const reading = parse(text.trim());
    if (!("problem" in reading)) return reading;
    shown = [...lines, reading.problem];
  }
  return undefined;
}

const maxTries = 5;

function readYesOrNo(text: string): Reading {
  if (/^y(?:es)?$/i.test(text)) return { value: true };
  return /^no?$/i.test(text) ? { value: false } : { problem: "Type yes or no." };
}

function readField(text: string, field: Field): Reading {
  if (text === "" && field.fallback !== undefined) return { value: field.fallback };
  if (text === "") return field.isRequired ? { problem: "This field is required." } : { value: undefined };
  if (field.type === "boolean") return readYesOrNo(text);
  if (field.type === "array")
    return readChoices(
      text.split(",").map((part) => part.trim()),
      field,
    );
  if (field.choices.length > 0) {
    const chosen = choice(text, field);
    return chosen === undefined ? { problem: unknownChoice } : { value: chosen };
  }
  return field.type === "string" ? readText(text, field) : readNumber(text, field);
}

function readChoices(words: readonly string[], field: Field): Reading {
  const chosen = words.flatMap((word) => choice(word, field) ?? []);
  return chosen.length === words.length ? { value: [...new Set(chosen)] } : { problem: unknownChoice };
}

const unknownChoice = "Type a number from the list.";

function choice(word: string, { choices }: Field): string | undefined {
  const numbered = /^\d+$/.test(word) ? choices[Number(word) - 1] : undefined;
  return (numbered ?? choices.find(({ value }) => value === word))?.value;
}

function readText(text: string, field: Field): Reading {
  const { minLength, maxLength } = field.limits;
  const format = formatOf(field);
  if (format && !format.accepts(text)) return { problem: `Type ${format.what}.` };
  if (typeof minLength === "number" && text.length < minLength)
    return { problem: `Type at least ${minLength} characters.` };
  if (typeof maxLength === "number" && text.length > maxLength)
    return { problem: `Type at most ${maxLength} characters.` };
  return { value: text };
}

/** The formats of the protocol, and how to type them. */
const formats: readonly TextFormat[] = [
  {
    name: "email",
    what: "an address such as name@example.com",
    accepts: (text) => /^[^\s@]+@[^\s@]+$/.test(text),
  },
  { name: "uri", what: "an address such as https://example.com", accepts: (text) => URL.canParse(text) },
  { name: "date", what: "a date such as 2026-01-31", accepts: isDate },
  {
    name: "date-time",
    what: "a date and time such as 2026-01-31T12:00:00Z",
    accepts: (text) =>
      /^[^T]+T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/.test(text) &&
      isDate(text.slice(0, text.indexOf("T"))) &&
      !Number.isNaN(Date.parse(text)),
  },
];

interface TextFormat {
  readonly name: string;
  readonly what: string;
  readonly accepts: (text: string) => boolean;
}

function formatOf({ type, limits }: Pick<Field, "type" | "limits">): TextFormat | undefined {
  return type === "string" ? formats.find(({ name }) => name === limits.format) : undefined;
}

function isDate(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.valueOf()) && date.toISOString().startsWith(`${text}T`);
}

function readNumber(text: string, { type, limits: { minimum, maximum } }: Field): Reading {
  const value = Number(text);
  if (!Number.isFinite(value) || (type === "integer" && !Number.isSafeInteger(value)))
    return { problem: type === "integer" ? "Type a whole number." : "Type a number." };
  if (typeof minimum === "number" && value < minimum) return { problem: `Type ${minimum} or more.` };
  if (typeof maximum === "number" && value > maximum) return { problem: `Type ${maximum} or less.` };
  return { value };
}
