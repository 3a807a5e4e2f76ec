import { isRecord } from "../json/is-record.ts";
import { counted } from "./format-quantity.ts";
import { printableLine } from "./printable.ts";

/**
 * Returns what a call is about, in one line that is safe to print: its command, its path, or its arguments; "" without
 * any. Paths are relative to the workspace.
 */
export function callTitle(input: unknown, workspace: string): string {
  const title = targetOf(input, workspace);
  if (title !== "" || !isRecord(input) || Object.keys(input).length === 0) return printableLine(title);
  const text = JSON.stringify(input);
  return printableLine(text.length <= maxArguments ? text : `${text.slice(0, maxArguments)}…`);
}

const maxArguments = 80;

/** The fields of all dialects that name the target of a call, the most important first. */
const targetFields = [
  ...["command", "cmd", "script", "pattern", "query", "url", "expression"],
  ...["path", "file_path", "filePath", "absolute_path", "dir_path", "paths", "from", "to", "name"],
  ...["task", "prompt", "message", "agent_id", "target", "id", "process"],
];

function targetOf(input: unknown, workspace: string): string {
  if (typeof input === "string") return namesInPatch(input);
  if (!isRecord(input)) return "";
  const found: string[] = [];
  for (const name of targetFields) {
    const value = input[name];
    const text = Array.isArray(value) ? value.slice(0, maxNames).join(" ") : value;
    if (typeof text === "string" && text !== "") found.push(inWorkspace(inOneLine(text), workspace));
    if (found.length === 2) break;
  }
  if (found.length > 0) return found.join(" ");
  const patch = Object.values(input).find((value) => typeof value === "string" && value.includes("*** "));
  return typeof patch === "string" ? namesInPatch(patch) : currentStep(input.steps);
}

/** Returns the step of a plan that is in progress, else the next one, else the last one. */
function currentStep(steps: unknown): string {
  const known = (Array.isArray(steps) ? steps : []).filter(isRecord);
  const { step } =
    known.find(({ status }) => status === "in_progress") ??
    known.find(({ status }) => status === "pending") ??
    known.at(-1) ??
    {};
  return typeof step === "string" ? inOneLine(step) : "";
}

function namesInPatch(patch: string): string {
  const names = [...patch.matchAll(/^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm)].map(([, name]) => name);
  const more = names.length - maxNames;
  return `${names.slice(0, maxNames).join(" ")}${more > 0 ? ` and ${counted(more, "more file")}` : ""}`;
}

const maxNames = 3;

function inWorkspace(word: string, workspace: string): string {
  return workspace !== "" && word.startsWith(`${workspace}/`) ? word.slice(workspace.length + 1) : word;
}

/** Shows all lines of a command in one. */
function inOneLine(text: string): string {
  return text.trim().replace(/\s*\n\s*/g, " ⏎ ");
}
