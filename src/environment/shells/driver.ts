import { shellQuote } from "../../lib/text/shell-quote.ts";

// The lines that drive bash, and its replies. Commands and these lines share one shell: every word that a command
// could give another meaning is quoted, so that no alias changes it.

/** The descriptor on which the shell reports the end of commands; closed for the commands themselves. */
const status = 190;

/**
 * Only an interactive bash gives up the rest of a command and continues with the next line. Without a terminal it
 * controls no jobs; without line editing it reads what it is given as it is.
 */
export const shellArguments: readonly string[] = ["--noprofile", "--norc", "--noediting", "-i"];

/**
 * Makes the shell give up the rest of a command, once the program has ended that it waits for. One that reads its
 * next line has nothing to give up: interrupted by a trap there, bash goes on with memory that it has freed, and runs
 * what is in it.
 */
export const giveUp: 50 = 50;

/** Commands have other things to read. */
const isReading = "\\builtin test -S /dev/fd/0";

/** The first line for a shell. It replies with its process number as it sees it. */
export const opening: string = [
  "PS1= PS2= PROMPT_COMMAND=",
  "unset MAILCHECK",
  // A prompt is plain text, and runs nothing.
  "shopt -u promptvars",
  "set +o history +H",
  `trap '${isReading} || { \\builtin trap - INT; \\builtin kill -INT $$; }' ${giveUp}`,
  `exec ${status}>&1 >/dev/null`,
  `printf '%s\\0' "$$" >&${status}\n`,
].join("; ");

export interface DriverLine {
  readonly command: string;
  /** Comes before the report of its end. */
  readonly mark: string;
  readonly stdout: string;
  readonly stderr: string;
  /** Absolute; the command runs only if the shell gets there. */
  readonly cwd: string | undefined;
  /** For this command only. */
  readonly env: Readonly<Record<string, string>>;
  /** The value of `$?` for the command. */
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

/** Reads the report of the end of a command; undefined if it is about another. */
export function readEnd(
  message: string,
  mark: string,
): { readonly code: number; readonly cwd: string } | undefined {
  const [, told, code, cwd = ""] = /^(\S+) (\d+) ([\s\S]*)$/.exec(message) ?? [];
  return told === mark ? { code: Number(code), cwd } : undefined;
}

/** The replies of a shell, each ended by a NUL byte. */
export class Messages {
  readonly #texts: string[] = [];
  #wake: ((text: string) => void) | undefined;

  constructor(source: AsyncIterable<Uint8Array>) {
    void this.#read(source);
  }

  /** The next one; for ever if there is none. */
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

/** The end of what the shell complains about; read to its end, so that it never waits for a reader. */
export async function lastWords(source: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of source) text = (text + decoder.decode(bytes, { stream: true })).slice(-2000);
  return text.trim();
}
