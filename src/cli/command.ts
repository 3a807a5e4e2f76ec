/** One command of the command line. Parsing, help and completion all read this description. */
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
  /** Possible first operands, for completion. Other operands are completed by the placeholders of `usage`. */
  readonly operand?: readonly string[];
  /** Whether unknown flags, and everything after `--`, belong to the tool that the first operand names. */
  readonly forwardsFlags?: true;
  /** Runs the command and returns the exit code; throws ToolError. */
  run(given: Arguments): Promise<number>;
}

export interface Option {
  readonly name: string;
  readonly short?: string;
  /** A placeholder for the value, `DIR`. An option without one is a switch. */
  readonly value?: string;
  readonly choices?: readonly string[];
  /** Whether the option may be given several times. Its values are joined by line ends. */
  readonly repeats?: true;
  /** Whether the words after the option, up to the next flag, are its value; there may be none. */
  readonly takesWords?: true;
  /** Whether many commands have the option, so that help lists it in a separate group. */
  readonly isCommon?: true;
  readonly summary: string;
}

export type Example = readonly [command: string, comment: string];

/** A parsed command line. */
export interface Arguments {
  /** The values by option name, "" for a switch. The values of an option that repeats are lines. */
  readonly options: ReadonlyMap<string, string>;
  readonly operands: readonly string[];
}
