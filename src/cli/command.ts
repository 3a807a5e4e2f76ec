/** One command of the command line, described once: parsing, help and completion all read this. */
export interface Command {
  readonly name: string;
  /** One line, without a full stop. */
  readonly summary: string;
  /** What comes after `toolcrib`, one line for each form. */
  readonly usage: readonly string[];
  /** What a person needs to know beyond the summary, in short lines. */
  readonly notes?: readonly string[];
  readonly options: readonly Option[];
  readonly examples: readonly Example[];
  /** What may stand as the first operand, for completion. */
  readonly operand?: "command" | "tool" | readonly string[];
  /** Words that are not ours belong to the tool named by the first operand, and so does all after `--`. */
  readonly handsOn?: true;
  /** Does the work and gives the exit code; throws ToolError. */
  run(given: Arguments): Promise<number>;
}

export interface Option {
  readonly name: string;
  readonly short?: string;
  /** What its value stands for, `DIR`; an option without is a switch. */
  readonly value?: string;
  /** The only values it takes. */
  readonly choices?: readonly string[];
  /** It may be given several times: all values count, a line each. */
  readonly repeats?: true;
  readonly summary: string;
}

export interface Example {
  readonly command: string;
  readonly shows: string;
}

/** The words of a command line, sorted out. */
export interface Arguments {
  /** Value by the name of each option given, "" for a switch; the values of one that repeats are lines. */
  readonly options: ReadonlyMap<string, string>;
  readonly operands: readonly string[];
}
