/**
 * Why a command is not even parsed: it is made to keep a parser busy. Nothing a person writes comes near these limits;
 * the number of commands has none.
 */
export function tooMuchToRead(command: string): string | undefined {
  // Linux takes no longer argument, so no shell could be given it either.
  if (command.length >= 128 * 1024) return "a command too long to be read";
  if (deepest(command) > 100) return "a command nested too deep to be read";
  if (occurrences(command, "<<") > 500) return "too many here-documents to be read";
  return undefined;
}

/** How deep parentheses and braces go, quoted ones counted as well. */
function deepest(command: string): number {
  let depth = 0;
  let most = 0;
  for (const [sign] of command.matchAll(/[(){}]/g)) {
    depth = sign === "(" || sign === "{" ? depth + 1 : Math.max(0, depth - 1);
    most = Math.max(most, depth);
  }
  return most;
}

function occurrences(command: string, sign: string): number {
  return command.split(sign).length - 1;
}
