import { nearest } from "../../lib/nearest.ts";
import { type Action, actionExamples } from "./describe-actions.ts";
import { type Scan, scanObject } from "./scan-object.ts";

/** What a reply asks for. */
export interface ActionReading {
  /** In their order; those before a fault, where there is one. */
  readonly actions: readonly Action[];
  /** What keeps the reply from being understood, for the model: what, where, and how it is written. */
  readonly fault: string | undefined;
}

/**
 * Reads the JSON objects of a reply: prose, code fences and thoughts around them are passed over, and so are objects that
 * are no actions. One that is broken, or an action with something missing, is never mended: it is a fault, which shows how a
 * call is written by `example`.
 */
export function readActions(reply: string, example: string = actionExamples.tool_call): ActionReading {
  const { found, fault } = findActions(reply, example);
  return { actions: found.map(({ action }) => action), fault: fault?.message };
}

/** Where the actions of a reply stand. Offsets count UTF-16 units. */
export interface FoundActions {
  /** Where thoughts end that stand before everything else; 0 without. */
  readonly start: number;
  readonly found: readonly FoundAction[];
  readonly fault: ActionFault | undefined;
}

interface FoundAction {
  readonly action: Action;
  readonly start: number;
  readonly end: number;
}

interface ActionFault {
  readonly message: string;
  /** Where the object begins that is none; undefined where there is only prose. */
  readonly at: number | undefined;
  /** Whether the object is whole, and holds nothing that actions have. */
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
    if (isValue(reply, at)) return end(insideBroken(placeOf(reply, at), example), at);
    const scan = scanObject(reply, at);
    if (!("end" in scan)) return end(brokenObject(reply, at, scan, example), at);
    const rest = closesMore.exec(reply.slice(scan.end, scan.end + around));
    if (rest) return end(brokenObject(reply, at, tooMuch(scan.end + rest[0].length - 1), example), at);
    const read = readAction(JSON.parse(reply.slice(at, scan.end)), example);
    if (typeof read === "string") return end(`The object at ${placeOf(reply, at)} is no action: ${read}`, at);
    if (read === undefined) other ??= at;
    else found.push({ action: read, start: at, end: scan.end });
    at = nextObject(reply, scan.end);
  }
  if (found.length > 0) return { start, found, fault: undefined };
  if (other !== undefined) return end(noAction(placeOf(reply, other), example), other);
  return end(hasOpenThoughts(reply) ? openThoughts(example) : nothingSaid(example));
}

type Broken = Exclude<Scan, { end: number }>;

/**
 * A brace that begins an object of JSON, or what is meant as an action; braces of prose, code and thoughts are neither. A tag
 * in quotes is only spoken of.
 */
function nextObject(reply: string, from: number): number {
  const begins =
    /(?<!["'`])<(think(?:ing)?)>[\s\S]*?(?:<\/\1>|$)|\{\s*(?:"(?:[^"\\\n]|\\.)*"\s*:|["'`]?(?:action|tool|args)["'`]?\s*[:=])/g;
  begins.lastIndex = from;
  for (let found = begins.exec(reply); found; found = begins.exec(reply))
    if (found[1] === undefined) return found.index;
  return -1;
}

/** Stands in an object whose beginning is missing: what that was meant to be is not for us to guess. */
function isValue(reply: string, at: number): boolean {
  return /"\s*:\s*$/.test(reply.slice(Math.max(0, at - around), at));
}

/** Another brace, or another key: the object was meant to go on where it has ended. */
const closesMore = /^\s*(?:\}|,\s*")/;

function tooMuch(at: number): Broken {
  return { at, problem: "the object has ended before this", wayOut: "Write as many } as {." };
}

/** Models that think aloud try out there what they do not ask for; what has no end, as where the reply was cut, is all thought. */
function afterThoughts(reply: string): number {
  const thoughts = /^\s*<(think(?:ing)?)>[\s\S]*?(?:<\/\1>|$)/.exec(reply);
  return thoughts?.[0].length ?? 0;
}

function hasOpenThoughts(reply: string): boolean {
  return reply.lastIndexOf("<think") > reply.lastIndexOf("</think");
}

/** The action, what is wrong with it, or undefined for an object that is none. */
function readAction(object: Record<string, unknown>, example: string): Action | string | undefined {
  const { action } = object;
  if (!["action", "tool", "args"].some((key) => Object.hasOwn(object, key))) return undefined;
  switch (action) {
    case "tool_call":
      return readCall(object, example);
    case "respond":
      return readWords("respond", "message", object) ?? { action, message: String(object.message) };
    case "done":
      return readWords("done", "summary", object) ?? { action, summary: String(object.summary) };
    default:
      return unknownAction(action, example);
  }
}

function readCall(
  { action: _, tool, args, ...others }: Record<string, unknown>,
  example: string,
): Action | string {
  if (typeof tool !== "string" || tool === "") return lacking(example, '"tool" must be the name of a tool');
  const [stray] = Object.keys(others);
  if (args === undefined && stray !== undefined)
    return lacking(example, `${JSON.stringify(stray)} stands beside "args", not in it`);
  if (args === undefined) return { action: "tool_call", tool, args: {} };
  if (typeof args !== "object" || args === null || Array.isArray(args))
    return lacking(example, `"args" must be an object, not ${kindOf(args)}`);
  return { action: "tool_call", tool, args: args as Record<string, unknown> };
}

function readWords(
  action: "respond" | "done",
  field: string,
  object: Record<string, unknown>,
): string | undefined {
  return typeof object[field] === "string"
    ? undefined
    : lacking(actionExamples[action], `"${field}" must be a string`);
}

function unknownAction(action: unknown, example: string): string {
  const known = Object.keys(actionExamples) as Action["action"][];
  const meant = typeof action === "string" ? nearest(action, known) : undefined;
  const names = known.map((name) => JSON.stringify(name)).join(", ");
  const isWords = meant === "respond" || meant === "done";
  return lacking(isWords ? actionExamples[meant] : example, `"action" must be one of ${names}`);
}

function lacking(example: string, what: string): string {
  return `${what}.\nWrite it like this: ${example}`;
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "a list" : `a ${typeof value}`;
}

function brokenObject(
  reply: string,
  start: number,
  { at, problem, wayOut }: Broken,
  example: string,
): string {
  return [
    `The JSON object that begins at ${placeOf(reply, start)} of your reply is broken at ${placeOf(reply, at)}: ${problem}.`,
    ...pointer(reply, at),
    wayOut,
    `Nothing of it was done: send the whole action again, as ${example}`,
  ].join("\n");
}

const around = 40;

/** The line of the fault, and a mark below its place. */
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

/** Both count from 1. */
function placeOf(reply: string, at: number): string {
  const before = reply.slice(0, at).split("\n");
  return `line ${before.length}, column ${before.at(-1)!.length + 1}`;
}

function nothingSaid(example: string): string {
  return `There is no action in your reply. Say what you have to say in one: ${actionExamples.respond}\nor call a tool: ${example}`;
}

function openThoughts(example: string): string {
  return `Your thoughts have no end, and nothing in them is done. Close them as they were opened (</think>), then write the action: ${example}`;
}

function insideBroken(place: string, example: string): string {
  return `The object at ${place} is the value of a key, but the object around it does not begin with {. Send the whole action again, as ${example}`;
}

function noAction(place: string, example: string): string {
  return `The object at ${place} has no "action", and there is no other. Write one like this: ${example}`;
}
