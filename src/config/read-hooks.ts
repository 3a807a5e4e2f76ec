import { resolve } from "node:path";
import type { Environment } from "../contract/environment.ts";
import { type CommandHook, type HookEvent, hookEvents } from "../contract/hooks.ts";
import { contentHash } from "../lib/bytes/content-hash.ts";
import { isRecord } from "../lib/json/is-record.ts";
import { unknownKey } from "./settings.ts";

interface FoundHooks {
  readonly hooks: readonly CommandHook[];
  /** By the path of the key. */
  readonly problems: readonly (readonly [key: string, problem: string])[];
}

/** Reads `hooks` of a file: a list per event, each with a command. An invalid hook does not affect the others. */
export function readHooks(
  table: unknown,
  from: CommandHook["from"],
  sourceOf: (key: string) => string,
): FoundHooks {
  const hooks: CommandHook[] = [];
  const problems: [string, string][] = [];
  if (table === undefined) return { hooks, problems };
  if (!isRecord(table)) return { hooks, problems: [["hooks", "hooks must be a table of lists by event"]] };
  for (const [event, list] of Object.entries(table)) {
    const key = `hooks.${event}`;
    if (!isEvent(event))
      problems.push([
        key,
        unknownKey(
          key,
          hookEvents.map((name) => `hooks.${name}`),
        ),
      ]);
    else if (!Array.isArray(list)) problems.push([key, `${key} must be a list: [[${key}]]`]);
    else
      for (const [index, given] of list.entries()) {
        const at = `${key}.${index}`;
        const problem = hookProblem(given);
        if (problem !== undefined) problems.push([at, `${key} ${problem}`]);
        else {
          const { command, matcher, timeout } = given as WrittenHook;
          const timeoutMs = timeout === undefined ? undefined : timeout * 1000;
          hooks.push({ event, command, matcher, timeoutMs, from, source: sourceOf(at) });
        }
      }
  }
  return { hooks, problems };
}

/** A hook that `hookProblem` accepts. */
interface WrittenHook {
  readonly command: string;
  readonly matcher?: string;
  readonly timeout?: number;
}

function isEvent(name: string): name is HookEvent {
  return hookEvents.some((event) => event === name);
}

const fields = ["command", "matcher", "timeout"];

function hookProblem(given: unknown): string | undefined {
  if (!isRecord(given)) return "must be a table with a command";
  const unknown = Object.keys(given).find((key) => !fields.includes(key));
  if (unknown !== undefined) return `has an ${unknownKey(unknown, fields)}`;
  const { command, matcher, timeout } = given;
  if (typeof command !== "string" || command.trim() === "") return "needs a command";
  if (matcher !== undefined && !isMatcher(matcher)) return "has a matcher that is not a regular expression";
  const isTime = typeof timeout === "number" && timeout > 0 && timeout <= maxSeconds;
  return timeout === undefined || isTime ? undefined : `needs a timeout of 1 to ${maxSeconds} seconds`;
}

const maxSeconds = 600;

function isMatcher(matcher: unknown): boolean {
  if (typeof matcher !== "string" || matcher.length > 500) return false;
  try {
    return matcher === "*" || new RegExp(matcher) !== undefined;
  } catch {
    return false;
  }
}

/** Returns the hashes of the workspace files that a project's hook names. Trust in the hook covers them. */
export async function filesOfHook(
  { command }: CommandHook,
  environment: Environment,
): Promise<Readonly<Record<string, string>>> {
  const words = command
    .split(/[\s=:;,'"()|&<>`]+/)
    .map((word) => word.replace(/^\$\{?\w+_PROJECT_DIR\}?\//, ""));
  const found: [string, string][] = [];
  for (const word of new Set(words.filter((each) => each !== "").slice(0, maxWords))) {
    const path = resolve(environment.workspace, word);
    const file = await environment.readFile(path, { maxBytes }).catch(() => undefined);
    if (file !== undefined) found.push([path, contentHash(file.bytes)]);
  }
  return Object.fromEntries(found);
}

const maxWords = 200;
const maxBytes = 16 * 1024 * 1024;
