import type { z } from "zod";
import { safeParse } from "zod/v4/core";
import type { ToolAccess } from "../../contract/access.ts";
import { ToolError } from "../../contract/error.ts";
import type { AnyTool, ToolSettings } from "../../contract/tool.ts";
import { nearest } from "../../lib/text/nearest.ts";
import type { Stage } from "../stage.ts";

/** Parses the input with the tool's schema. Refuses what does not fit, with one clause for each fault. */
export function rejectInvalidInput(settings: ToolSettings): Stage {
  return async (call, next) => {
    const input = parseInput(call.tool, call.input);
    const declared = call.tool.accesses(input, settings);
    const accesses = (await call.tool.narrow?.(declared, input, call)) ?? declared;
    call.account.accesses = accesses;
    expectRisk(call.tool, accesses);
    return await next({ ...call, input, accesses });
  };
}

/** Refuses changes by a tool with the risk "read", whose calls are neither recorded before they run nor undoable. */
function expectRisk({ name, risk }: AnyTool, accesses: readonly ToolAccess[]): void {
  const change = risk === "read" ? accesses.find(({ kind }) => changing.has(kind)) : undefined;
  if (change === undefined) return;
  throw new ToolError("internal", `${name} has the risk "read", but this call would ${change.kind}`, {
    hint: "Nothing was done. This is a bug in the tool: its `risk` must cover everything that its calls can do.",
  });
}

const changing: ReadonlySet<ToolAccess["kind"]> = new Set(["write", "delete", "execute"]);

/** Parses the input of a tool. Throws `invalid-input`. */
export function parseInput(tool: AnyTool, input: unknown): unknown {
  const parsed = safeParse(tool.input, input);
  if (parsed.success) return parsed.data;
  throw invalidInput(tool.name, parsed.error.issues, keysOf(tool.input), input);
}

function invalidInput(
  tool: string,
  issues: readonly z.core.$ZodIssue[],
  knownKeys: readonly string[],
  input: unknown,
): ToolError {
  const faults = issues.slice(0, mostFaults).map((issue) => describeIssue(issue, knownKeys, input));
  return new ToolError("invalid-input", `${tool}: ${faults.join("; ")}`, {
    hint: knownKeys.length > 0 ? `It takes: ${knownKeys.join(", ")}.` : "It takes no arguments.",
    details: { kind: "bad-arguments" },
  });
}

/** A program can make an input with millions of faults. */
const mostFaults = 50;
const mostKeyChars = 200;

function describeIssue(issue: z.core.$ZodIssue, knownKeys: readonly string[], input: unknown): string {
  const at = issue.path.map(String).join(".");
  const subject = at === "" ? "the input" : `\`${at}\``;
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys
        .slice(0, mostFaults)
        .map((key) => key.slice(0, mostKeyChars))
        .map((key) => (at === "" ? describeUnknownKey(key, knownKeys) : `unknown key \`${at}.${key}\``))
        .join("; ");
    case "invalid_type": {
      const value = valueAt(input, issue.path);
      if (value === undefined) return `${subject} is missing`;
      const isFraction = issue.expected === "int" && typeof value === "number";
      return `${subject} must be ${withArticle(issue.expected)}, not ${isFraction ? value : describeValue(value)}`;
    }
    case "invalid_value":
      return `${subject} must be one of ${issue.values.map((value) => JSON.stringify(value)).join(", ")}`;
    case "too_small":
      return `${subject} must be at least ${issue.minimum}${unitOf(issue.origin)}`;
    case "too_big":
      return `${subject} must be at most ${issue.maximum}${unitOf(issue.origin)}`;
    case "invalid_union":
      return `${subject} has the wrong form (${describeValue(valueAt(input, issue.path))})`;
    default:
      // Messages of checks of the whole input have their own subject.
      if (issue.code === "custom" && at === "") return issue.message;
      // Zod uses this text for a check without a message.
      return issue.message === "Invalid input" ? `${subject} is not valid` : `${subject}: ${issue.message}`;
  }
}

function describeUnknownKey(key: string, knownKeys: readonly string[]): string {
  const suggestion = nearest(key, knownKeys);
  return suggestion ? `unknown key \`${key}\`, did you mean \`${suggestion}\`?` : `unknown key \`${key}\``;
}

/** Returns the keys a caller may use: those of the dialect, when it renames them. */
function keysOf(schema: z.core.$ZodType): readonly string[] {
  const definition = schema._zod.def as { shape?: object; in?: z.core.$ZodType };
  if (definition.shape) return Object.keys(definition.shape);
  return definition.in ? keysOf(definition.in) : [];
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (value as Record<PropertyKey, unknown> | undefined)?.[key],
    input,
  );
}

function describeValue(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return withArticle(typeof value);
}

function withArticle(noun: string): string {
  const word = noun === "int" ? "integer" : noun;
  return /^[aeiou]/.test(word) ? `an ${word}` : `a ${word}`;
}

function unitOf(origin: string): string {
  if (origin === "string") return " characters long";
  return origin === "array" ? " entries long" : "";
}
