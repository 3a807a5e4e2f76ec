import { shellQuote } from "../../lib/shell-quote.ts";

// What bash is told to do, and what it tells of it. Commands and these lines share one shell: every word that a command
// could give another meaning is quoted, so that no alias changes it.

/** Where the shell tells how commands end; closed for the commands themselves. */
const status = 190;

/**
 * Only an interactive bash gives up the rest of a command and goes on with the next line. Without a terminal it controls no
 * jobs; without line editing it reads what it is given as it is.
 */
export const shellArguments: readonly string[] = ["--noprofile", "--norc", "--noediting", "-i"];

/**
 * Makes the shell give up the rest of a command, once the program has ended that it waits for. One that reads its next line
 * has nothing to give up: interrupted by a trap there, bash goes on with memory that it has freed, and runs what is in it.
 */
export const giveUp: 50 = 50;

/** Commands have other things to read. */
const isReading = "\\builtin test -S /dev/fd/0";

/** The first thing a shell is told. It answers with its process number as it sees it. */
export const opening: string = [
  "PS1= PS2= PROMPT_COMMAND=",
  "unset MAILCHECK",
  // A prompt that somebody sets is text, and runs nothing.
  "shopt -u promptvars",
  "set +o history +H",
  `trap '${isReading} || { \\builtin trap - INT; \\builtin kill -INT $$; }' ${giveUp}`,
  `exec ${status}>&1 >/dev/null`,
  `printf '%s\\0' "$$" >&${status}\n`,
].join("; ");

export interface DriverLine {
  readonly command: string;
  /** Stands before what is told of its end. */
  readonly mark: string;
  readonly stdout: string;
  readonly stderr: string;
  /** Absolute; the command runs only if the shell gets there. */
  readonly cwd: string | undefined;
  /** For this command only. */
  readonly env: Readonly<Record<string, string>>;
  /** What `$?` says to the command. */
  readonly lastCode: number;
}

/** One command, whatever it holds: text that is not closed ends with it. */
export function driverLine(line: DriverLine): string {
  const assignments = Object.entries(line.env).map(([name, value]) => `${name}=${shellQuote(value)} `);
  const run = `${assignments.join("")}\\eval ${shellQuote(line.command)}`;
  const start =
    line.cwd !== undefined
      ? `\\builtin cd -- ${shellQuote(line.cwd)} && `
      : line.lastCode === 0
        ? ""
        : `( \\builtin exit ${line.lastCode} ) || `;
  return [
    `{ ${start}${run}`,
    `} </dev/null >${shellQuote(line.stdout)} 2>${shellQuote(line.stderr)} ${status}>&-`,
    `\\builtin printf '%s %s %s\\0' ${line.mark} "$?" "\${PWD-}" >&${status}`,
    "",
  ].join("\n");
}

/** What was told of the end of a command; undefined if it is about another. */
export function readEnd(
  message: string,
  mark: string,
): { readonly code: number; readonly cwd: string } | undefined {
  const [, told, code, cwd = ""] = /^(\S+) (\d+) ([\s\S]*)$/.exec(message) ?? [];
  return told === mark ? { code: Number(code), cwd } : undefined;
}
