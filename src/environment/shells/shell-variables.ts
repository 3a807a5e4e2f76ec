import { shellQuote } from "../../lib/text/shell-quote.ts";

/** Prints the variables with which the shell was started, an empty entry, and those that it exports now. */
export const printVariables =
  "\\builtin command -p cat /proc/$$/environ && \\builtin printf '\\0' && \\builtin command -p env -0";

/** Returns the command that gives another shell the exports of the one that has printed this. */
export function restoreVariables(printed: string): string {
  const [before = "", now = ""] = printed.split("\0\0");
  const [old, fresh] = [variablesIn(before), variablesIn(now)];
  const changed = [...fresh].filter(([name, value]) => old.get(name) !== value);
  const removed = [...old.keys()].filter((name) => !fresh.has(name));
  return [
    ...changed.map(([name, value]) => `\\builtin export ${name}=${shellQuote(value)}`),
    ...removed.map((name) => `\\builtin unset ${name}`),
    "\\builtin true",
  ].join("; ");
}

/** Leaves out what belongs to one shell, functions, and values that are not valid text. */
function variablesIn(text: string): ReadonlyMap<string, string> {
  const entries = text.split("\0").flatMap((entry): (readonly [string, string])[] => {
    const [, name, value] = /^([A-Za-z_]\w*)=([\s\S]*)$/.exec(entry) ?? [];
    const isKept = name !== undefined && !/^(?:_|PWD|SHLVL|BASHOPTS|SHELLOPTS|TOOLCRIB_\w+)$/.test(name);
    return isKept && !entry.includes("\uFFFD") ? [[name, value!]] : [];
  });
  return new Map(entries);
}
