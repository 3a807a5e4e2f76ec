import { isAbsolute } from "node:path";
import { errorWith, ToolError } from "../../contract/error.ts";
import { printableLine } from "./printable.ts";
import { shellQuote } from "./shell-quote.ts";

/**
 * Adds `--target` to the commands in a text that work in a workspace, so that they can be copied. Most hints do not know where
 * their workspace is. `target` is a target, or the name of a workspace in Toolcrib's own data, which for one on this machine is
 * its path; then the text stays as it is.
 */
export function commandsOnTarget(text: string, target: string | undefined): string {
  if (target === undefined || isAbsolute(target) || !text.includes("toolcrib ")) return text;
  const flag = ` --target ${shellQuote(printableLine(target))}`;
  return text.replace(workspaceCommand, (command) => (elsewhere.test(command) ? command : command + flag));
}

/** Adds `--target` to the commands in the hints of an error. */
export function errorOnTarget<Thrown>(error: Thrown, target: string | undefined): Thrown | ToolError {
  if (target === undefined || !(error instanceof ToolError)) return error;
  const adding = (hint: string | null | undefined) => hint && commandsOnTarget(hint, target);
  const { hint, forUser } = error;
  const changed = {
    hint: adding(hint) ?? undefined,
    forUser: forUser && { ...forUser, hint: adding(forUser.hint) },
  };
  return changed.hint === hint && changed.forUser?.hint === forUser?.hint ? error : errorWith(error, changed);
}

/** A command of the terminal with the arguments that hints name. `toolcrib approve ID` finds its question anywhere. */
const workspaceCommand =
  /\btoolcrib (?:run|chat|call|undo|redo|diff|checkpoint|log|sessions|stop|grants|index|policy|doctor)\b(?: (?:--to (?:'[^']*'|\S+)|--[a-z][a-z-]*|'[^']*'|"[^"]*"|<[a-z]+>|[A-Z]+\b|\d+\b|(?:call|session)_\w+|[a-z]+\.[a-z_]+|(?:list|show|last|verify|trust|explain|replay|fork|rm|resume|status|clear|stop)\b))*/g;

/** Commands that have a target, work on all workspaces, or on none. */
const elsewhere = / --(?:target|workspace|all|demo|help|schema)\b/;
