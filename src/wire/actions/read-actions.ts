import { nearest } from "../../lib/text/nearest.ts";
import { actionExamples, type ModelAction } from "./describe-actions.ts";
import { type Scan, scanObject } from "./scan-object.ts";

export interface ActionReading {
  /** The actions in order, up to a fault. */
  readonly actions: readonly ModelAction[];
  /** Why the reply cannot be parsed, for the model: what, where, and how to write it. */
  readonly fault: string | undefined;
}

/**
 * Reads the JSON objects of a reply. Skips prose, code fences, thoughts, and objects that are not actions. A broken
 * object or incomplete action is never repaired: it is a fault, which shows `example`.
 */
export function readActions(reply: string, example: string = actionExamples.tool_call): ActionReading {
  const { found, fault } = findActions(reply, example);
  return { actions: found.map(({ action }) => action), fault: fault?.message };
}

/** The positions of actions in a reply. Offsets count UTF-16 units. */
export interface FoundActions {
  /** The end of leading thoughts; 0 without any. */
  readonly start: number;
  readonly found: readonly FoundAction[];
  readonly fault: ActionFault | undefined;
}

interface FoundAction {
  readonly action: ModelAction;
  readonly start: number;
  readonly end: number;
}

interface ActionFault {
  readonly message: string;
  /** Where the invalid object begins; undefined when there is only prose. */
  readonly at: number | undefined;
  /** Whether the object is valid and has no key of an action. */
  readonly isOther: boolean;
}

export function findActions(reply: string, example: string = actionExamples.tool_call): FoundActions {
  const start = afterThoughts(reply);
  const found: FoundAction[] = [];
  let other: number | undefined;
  const end = (message: string, at?: number): FoundActions => ({
    start,
    found,
    fault: { message, at, isOther: at !== undefined && at === other },
  });
  for (let at = nextObject(reply, start); at !== -1; ) {
    if (isValue(reply, at)) return end(insideBroken(positionOf(reply, at), example), at);
    const scan = scanObject(reply, at);
    if (!("end" in scan)) return end(brokenObject(reply, at, scan, example), at);
    const rest = closesMore.exec(reply.slice(scan.end, scan.end + around));
    if (rest) return end(brokenObject(reply, at, tooMuch(scan.end + rest[0].length - 1), example), at);
    const read = readAction(JSON.parse(reply.slice(at, scan.end)), example);
    if (typeof read === "string")
      return end(`The object at ${positionOf(reply, at)} is not an action: ${read}`, at);
    if (read === undefined) other ??= at;
    else found.push({ action: read, start: at, end: scan.end });
    at = nextObject(reply, scan.end);
  }
  if (found.length > 0) return { start, found, fault: undefined };
  if (other !== undefined) return end(noAction(positionOf(reply, other), example), other);
  return end(hasOpenThoughts(reply) ? openThoughts(example) : withoutAction(example));
}

type Broken = Exclude<Scan, { end: number }>;

/** Finds a brace that begins a JSON object or an attempted action, outside prose, code and thoughts. */
function nextObject(reply: string, from: number): number {
  const begins =
    /(?<!["'`])<(think(?:ing)?)>[\s\S]*?(?:<\/\1>|$)|\{\s*(?:"(?:[^"\\\n]|\\.)*"\s*:|["'`]?(?:action|tool|args)["'`]?\s*[:=])/g;
  begins.lastIndex = from;
  for (let found = begins.exec(reply); found; found = begins.exec(reply))
    if (found[1] === undefined) return found.index;
  return -1;
}

/** Whether the brace is inside an object whose beginning is missing. The beginning is not guessed. */
function isValue(reply: string, at: number): boolean {
  return /"\s*:\s*$/.test(reply.slice(Math.max(0, at - around), at));
}

/** Matches a brace or key after the object, which shows that the object should continue. */
const closesMore = /^\s*(?:\}|,\s*")/;

function tooMuch(at: number): Broken {
  return { at, problem: "the object has already ended", hint: "Write as many } as {." };
}

/** Returns the end of leading thoughts, which may contain draft calls. Thoughts that are not closed fill the reply. */
function afterThoughts(reply: string): number {
  const thoughts = /^\s*<(think(?:ing)?)>[\s\S]*?(?:<\/\1>|$)/.exec(reply);
  return thoughts?.[0].length ?? 0;
}

function hasOpenThoughts(reply: string): boolean {
  return reply.lastIndexOf("<think") > reply.lastIndexOf("</think");
}

/** Returns the action, or what is wrong with it, or undefined for another object. */
function readAction(object: Record<string, unknown>, example: string): ModelAction | string | undefined {
  const { action } = object;
  if (!["action", "tool", "args"].some((key) => Object.hasOwn(object, key))) return undefined;
  switch (action) {
    case "tool_call":
      return readCall(object, example);
    case "respond":
      return checkText("respond", "message", object.message) ?? { action, message: String(object.message) };
    case "done":
      return checkText("done", "summary", object.summary) ?? { action, summary: String(object.summary) };
    default:
      return unknownAction(action, example);
  }
}

function readCall(
  { action: _, tool, args, ...others }: Record<string, unknown>,
  example: string,
): ModelAction | string {
  if (typeof tool !== "string" || tool === "") return lacking(example, '"tool" must be the name of a tool');
  const [stray] = Object.keys(others);
  if (args === undefined && stray !== undefined)
    return lacking(example, `${JSON.stringify(stray)} must be inside "args"`);
  if (args === undefined) return { action: "tool_call", tool, args: {} };
  if (typeof args !== "object" || args === null || Array.isArray(args))
    return lacking(example, `"args" must be an object, not ${kindOf(args)}`);
  return { action: "tool_call", tool, args: args as Record<string, unknown> };
}

function checkText(action: "respond" | "done", field: string, text: unknown): string | undefined {
  return typeof text === "string"
    ? undefined
    : lacking(actionExamples[action], `"${field}" must be a string`);
}

function unknownAction(action: unknown, example: string): string {
  const known = Object.keys(actionExamples) as ModelAction["action"][];
  const near = typeof action === "string" ? nearest(action, known) : undefined;
  const names = known.map((name) => JSON.stringify(name)).join(", ");
  const takesText = near === "respond" || near === "done";
  return lacking(takesText ? actionExamples[near] : example, `"action" must be one of ${names}`);
}

function lacking(example: string, what: string): string {
  return `${what}.\nWrite it like this: ${example}`;
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "a list" : `a ${typeof value}`;
}

function brokenObject(reply: string, start: number, { at, problem, hint }: Broken, example: string): string {
  return [
    `The JSON object at ${positionOf(reply, start)} of your reply is invalid at ${positionOf(reply, at)}: ${problem}.`,
    ...pointer(reply, at),
    hint,
    `The action was not run. Send the whole action again, like ${example}`,
  ].join("\n");
}

const around = 40;

/** Shows the line of the fault, and a mark below the position. */
function pointer(reply: string, at: number): readonly string[] {
  const lineStart = reply.lastIndexOf("\n", at - 1) + 1;
  const lineEnd = reply.indexOf("\n", at) === -1 ? reply.length : reply.indexOf("\n", at);
  const start = Math.max(lineStart, at - around);
  const shown = reply
    .slice(start, Math.min(lineEnd, at + around))
    .replaceAll("\t", " ")
    .trimEnd();
  return shown === "" ? [] : [`  ${shown}`, `  ${" ".repeat(at - start)}^`];
}

function positionOf(reply: string, at: number): string {
  const before = reply.slice(0, at).split("\n");
  return `line ${before.length}, column ${before.at(-1)!.length + 1}`;
}

function withoutAction(example: string): string {
  return `Your reply contains no action. To answer, send ${actionExamples.respond}\nTo call a tool, send ${example}`;
}

function openThoughts(example: string): string {
  return `Your thoughts are not closed, and actions in them are not run. Close them with </think>, then write the action: ${example}`;
}

function insideBroken(position: string, example: string): string {
  return `The object at ${position} is the value of a key, but the outer object does not begin with {. Send the whole action again, like ${example}`;
}

function noAction(position: string, example: string): string {
  return `The object at ${position} has no "action". Send one like this: ${example}`;
}
