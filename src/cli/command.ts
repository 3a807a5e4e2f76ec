/** One command of the command line, described once: parsing, help and completion all read this. */
export interface Command {
  readonly name: string;
  /** A verb phrase of at most eight words, without a full stop. */
  readonly summary: string;
  /** The forms after `toolcrib`. A command with several forms explains each. */
  readonly usage: readonly (readonly [form: string, meaning?: string])[];
  /** Paragraphs that help wraps to the terminal's width. */
  readonly notes?: readonly string[];
  readonly options: readonly Option[];
  readonly examples: readonly Example[];
  /** Possible first operands, for completion. */
  readonly operand?: "command" | "tool" | readonly string[];
  /** Passes unknown flags, and everything after `--`, to the tool that the first operand names. */
  readonly forwardsFlags?: true;
  /** Runs the command and returns the exit code; throws ToolError. */
  run(given: Arguments): Promise<number>;
}

export interface Option {
  readonly name: string;
  readonly short?: string;
  /** A placeholder for its value, `DIR`; an option without one is a switch. */
  readonly value?: string;
  readonly choices?: readonly string[];
  /** It may be given several times; its values are joined by line ends. */
  readonly repeats?: true;
  /** Many commands have it: help lists it in a group of its own. */
  readonly isCommon?: true;
  readonly summary: string;
}

export type Example = readonly [command: string, comment: string];

/** A parsed command line. */
export interface Arguments {
  /** Value by option name, "" for a switch; the values of an option that repeats are lines. */
  readonly options: ReadonlyMap<string, string>;
  readonly operands: readonly string[];
}
