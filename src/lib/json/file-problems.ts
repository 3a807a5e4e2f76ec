import * as z from "zod/mini";
import { nearest } from "../text/nearest.ts";
import { printableLine } from "../text/printable.ts";
import { isRecord } from "./is-record.ts";

/** One thing that is wrong in a file that a user writes. */
export interface FileProblem {
  readonly path: readonly PropertyKey[];
  /** A sentence without a full stop: `unknown key mdoe; did you mean mode?` */
  readonly message: string;
  /** The valid key or value that was probably meant. */
  readonly near?: string | undefined;
}

/**
 * Returns what is wrong in the content of a file. A message has the value only where `quotes` says that it cannot be a
 * secret.
 */
export function problemsOf(
  schema: z.ZodMiniType,
  content: unknown,
  quotes: (key: string) => boolean = () => false,
): readonly FileProblem[] {
  const parsed = schema.safeParse(content, { reportInput: true });
  if (parsed.success) return [];
  return parsed.error.issues.flatMap((issue): readonly FileProblem[] => {
    const { path } = issue;
    if (issue.code === "unrecognized_keys") {
      const known = keysAt(schema, path);
      return issue.keys.map((key) => {
        const near = nearest(key, known);
        const whole = nameKey([...path, key]);
        return { path: [...path, key], near, message: `unknown key ${whole}${didYouMean(near, path)}` };
      });
    }
    const name = nameKey(path);
    const isQuoted = quotes(path.join(".")) && ["string", "number", "boolean"].includes(typeof issue.input);
    const subject = isQuoted
      ? `${name} = ${printableLine(JSON.stringify(issue.input)).slice(0, maxChars)}`
      : name;
    return [{ path, near: nearValue(issue), message: `${subject || "the file"} ${predicateOf(issue)}` }];
  });
}

const maxChars = 100;

/** Returns what an issue says about a key, to follow its name: `must be a string`. */
export function predicateOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_value":
      return `must be one of ${issue.values.join(", ")}${didYouMean(nearValue(issue))}`;
    case "invalid_type":
      return issue.input === undefined ? "is missing" : `must be ${kinds[issue.expected] ?? issue.expected}`;
    case "invalid_key":
      return issue.issues[0]?.message ?? "is not a valid name";
    default:
      return issue.message;
  }
}

function nearValue(issue: z.core.$ZodIssue): string | undefined {
  if (issue.code !== "invalid_value" || typeof issue.input !== "string") return undefined;
  return nearest(issue.input, issue.values.map(String));
}

function didYouMean(near: string | undefined, path: readonly PropertyKey[] = []): string {
  return near === undefined ? "" : `; did you mean ${nameKey([...path, near])}?`;
}

const kinds: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  object: "a group of fields",
  record: "a group of fields",
  array: "a list",
};

/** Names a key for a message: `limits.rounds`, `hooks.Stop.0.command`. */
function nameKey(path: readonly PropertyKey[]): string {
  return printableLine(path.map(String).join(".")).slice(0, maxChars);
}

/** Returns the known keys of the table at a path. */
function keysAt(schema: z.ZodMiniType, path: readonly PropertyKey[]): readonly string[] {
  let node: unknown = z.toJSONSchema(schema, { io: "input" });
  for (const step of path) {
    if (!isRecord(node)) return [];
    const properties = isRecord(node.properties) ? node.properties : {};
    node = typeof step === "number" ? node.items : (properties[String(step)] ?? node.additionalProperties);
  }
  return isRecord(node) && isRecord(node.properties) ? Object.keys(node.properties) : [];
}
