import { shellQuote } from "../lib/text/shell-quote.ts";
import { perlProgram } from "./perl-program.ts";

/** Returns the path of a program, or throws `unavailable`. */
type Find = (program: string) => Promise<string>;

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
}

/** Wraps a command so that it runs in its own terminal; undefined when neither perl nor script is installed. */
export async function inTerminal(command: Command, find: Find): Promise<Command | undefined> {
  const { file, args } = command;
  if (process.platform === "linux") {
    const perl = await find("perl").catch(() => undefined);
    if (perl !== undefined)
      return { file: perl, args: ["-e", perlProgram("terminal.pl", import.meta.url), file, ...args] };
  }
  const script = await find("script").catch(() => undefined);
  if (script === undefined) return undefined;
  return process.platform === "linux"
    ? { file: script, args: ["-qec", [file, ...args].map(shellQuote).join(" "), "/dev/null"] }
    : { file: script, args: ["-q", "/dev/null", file, ...args] };
}
