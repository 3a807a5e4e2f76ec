import { shellQuote } from "../../lib/text/shell-quote.ts";

// This file has the lines that drive bash, and reads its replies. Commands run in the same shell, so every word that a
// command could redefine is quoted, and no alias applies.

/** The descriptor on which the shell reports the end of commands. It is closed for the commands themselves. */
const status = 190;

/**
 * The shell is interactive, because only then bash abandons the rest of a command and continues with the next line.
 * Without line editing it reads its input unchanged.
 */
export const shellArguments: readonly string[] = ["--noprofile", "--norc", "--noediting", "-i"];

/**
 * The signal that makes the shell abandon the rest of a command when the program that it waits for has ended. Its trap
 * does nothing while bash reads its next line, because bash would then continue with freed memory.
 */
export const giveUp: 50 = 50;

/** True while bash reads its next line; commands have another standard input. */
const isReading = "\\builtin test -S /dev/fd/0";

/** The first line for a shell. It replies with its own process id. */
export const opening: string = [
  "PS1= PS2= PROMPT_COMMAND=",
  "unset MAILCHECK",
  // A prompt is plain text and runs nothing.
  "shopt -u promptvars",
  "set +o history +H",
  `trap '${isReading} || { \\builtin trap - INT; \\builtin kill -INT $$; }' ${giveUp}`,
  `exec ${status}>&1 >/dev/null`,
  `printf '%s\\0' "$$" >&${status}\n`,
].join("; ");

export interface DriverLine {
  readonly command: string;
  /** Identifies the report of its end. */
  readonly mark: string;
  readonly stdout: string;
  readonly stderr: string;
  /** An absolute path. The command runs only if the shell can enter it. */
  readonly cwd: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  /** The value of `$?` for the command. */
  readonly lastCode: number;
}

/** Returns the line for one command. The command is quoted, so an unclosed quote in it ends with it. */
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

/** Parses the report of a command's end; undefined for the report of another command. */
export function readEnd(
  message: string,
  mark: string,
): { readonly code: number; readonly cwd: string } | undefined {
  const [, found, code, cwd = ""] = /^(\S+) (\d+) ([\s\S]*)$/.exec(message) ?? [];
  return found === mark ? { code: Number(code), cwd } : undefined;
}

/** The replies of a shell, each ended by a NUL byte. */
export class Messages {
  readonly #texts: string[] = [];
  #wake: ((text: string) => void) | undefined;

  constructor(source: AsyncIterable<Uint8Array>) {
    void this.#read(source);
  }

  next(): Promise<string> {
    const text = this.#texts.shift();
    if (text !== undefined) return Promise.resolve(text);
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  async #read(source: AsyncIterable<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    let rest = "";
    for await (const bytes of source) {
      const texts = (rest + decoder.decode(bytes, { stream: true })).split("\0");
      rest = texts.pop()!.slice(-longest);
      for (const text of texts) this.#take(text);
    }
  }

  #take(text: string): void {
    const wake = this.#wake;
    this.#wake = undefined;
    if (wake !== undefined) wake(text);
    else this.#texts.push(text);
  }
}

const longest = 65_536;

/** Returns the end of the shell's own error output. Reads all of it, so that the shell never waits for a reader. */
export async function readErrors(source: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of source) text = (text + decoder.decode(bytes, { stream: true })).slice(-2000);
  return text.trim();
}
