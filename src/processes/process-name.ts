import { ToolError } from "../contract/error.ts";

/** A short name for a command, not in use: "npm-run-dev", "npm-run-dev-2". */
export function nameFor(command: string, isInUse: (name: string) => boolean): string {
  const base = wordsOf(command).join("-").slice(0, maxMadeChars) || "process";
  let name = base;
  for (let count = 2; isInUse(name); count += 1) name = `${base}-${count}`;
  return name;
}

/** Throws `invalid-input` for what is not easily said again. */
export function checkName(name: string): void {
  if (/^[A-Za-z0-9][\w.-]{0,63}$/.test(name)) return;
  throw new ToolError("invalid-input", `"${name}" cannot be the name of a process`, {
    hint: 'Use up to 64 letters, digits, "-", "_" and ".": web-server.',
  });
}

const maxWords = 3;
const maxMadeChars = 40;

/** What a person would call it: the last of several commands, without options, quotes, directories and variables. */
function wordsOf(command: string): readonly string[] {
  const plain = command.replace(/"[^"]*"|'[^']*'/g, " ");
  const last = plain.split(/&&|\|\||[;|&\n]/).findLast((part) => /\w/.test(part)) ?? "";
  return last
    .trim()
    .split(/\s+/)
    .filter((word) => /^[\w./:@]/.test(word) && !/^\w+=/.test(word) && !launchers.has(word))
    .map((word) => word.replace(/.*\//, "").replace(/[^\w.]+/g, "-"))
    .map((word) => word.replace(/^[^A-Za-z0-9]+|-+$/g, ""))
    .filter((word) => word !== "")
    .slice(0, maxWords);
}

const launchers = new Set(["exec", "nohup", "env", "time", "command"]);
