import type { AgentEvent } from "../../agent/event.ts";
import type { Session } from "../../agent/session.ts";
import type { Elicit } from "../../mcp/types.ts";
import type { Approve } from "../../toolcrib/index.ts";

/** How a chat is shown and typed: as plain lines (`LineFront`), or on a screen with an input area (`TuiFront`). */
export interface ChatFront {
  /** Whether a user is at the terminal. */
  readonly isInteractive: boolean;
  /** Asks the user; undefined when calls that need approval are refused. */
  readonly approve: Approve | undefined;
  /** Asks the user what an MCP server wants to know. */
  readonly elicit: Elicit;
  /** Starts to show a session. */
  open(session: Session): void;
  /** The next input, of one line or more; undefined when the user leaves. */
  read(): Promise<string | undefined>;
  /** Calls `hear` with each input that is typed while the model works. Returns a function that stops it. */
  listen(hear: (input: string) => void): () => void;
  show(event: AgentEvent): void;
  /** Shows one or more whole lines of Toolcrib. */
  showLine(lines: string): void;
  /** Removes everything that shows a running turn. */
  endTurn(): void;
  /** Shows that work is in progress; Ctrl-C cancels it. */
  whileBusy<Result>(doing: string, work: (signal: AbortSignal) => Promise<Result>): Promise<Result>;
  /** Shows the output of a command of the user: what arrives, and at the end the whole. */
  followOutput(): OutputView;
  /** Lets the user choose from a list; undefined when the user cancels. Absent where there is no screen. */
  pick?(question: PickQuestion): Promise<string | undefined>;
  /** Lets the user look at changes and undo single ones. Absent where there is no screen. */
  browse?(question: HunkQuestion): Promise<void>;
  /** Asks whether to do something. Absent where no user can be asked. */
  confirm?(question: ConfirmQuestion): Promise<boolean>;
  /** Puts text into the input area, to be edited. Absent where there is none. */
  prefill?(text: string): void;
  /** Takes input of another program, as if the user had typed it. */
  submit(input: string): void;
  /** Ends a waiting `read`: the output is closed. */
  leave(): void;
  close(): void | Promise<void>;
}

export interface OutputView {
  add(text: string): void;
  end(output: string): void;
}

export interface PickQuestion {
  readonly title: string;
  readonly choices: readonly Choice[];
}

export interface ConfirmQuestion {
  /** The most important fact, in one sentence. */
  readonly warning: string;
  /** A verb phrase: "Undo anyway". */
  readonly action: string;
  /** The user's alternative where no question can be asked. */
  readonly otherwise: string;
}

/** A change of a file that can be undone by itself. */
export interface Hunk {
  readonly path: string;
  /** Undefined for a change without hunks, such as that of a binary file. */
  readonly number: number | undefined;
  readonly title: string;
  readonly lines: readonly string[];
}

export interface HunkQuestion {
  readonly hunks: readonly Hunk[];
  /** Undoes one, unless it has changed since. Returns those that are left, and a message when nothing was undone. */
  undo(hunk: Hunk): Promise<{ readonly hunks: readonly Hunk[]; readonly message?: string }>;
}

export interface Choice {
  /** Returned when the user picks it. */
  readonly value: string;
  readonly label: string;
  readonly description?: string | undefined;
}
