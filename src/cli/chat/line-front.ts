import type { AgentEvent } from "../../agent/event.ts";
import type { Session } from "../../agent/session.ts";
import { printable } from "../../lib/text/printable.ts";
import type { Elicit } from "../../mcp/types.ts";
import type { Approve } from "../../toolcrib/index.ts";
import type { Arguments } from "../command.ts";
import { interruptible, onInterruption } from "../interruption.ts";
import { commandProgress, ShownLines } from "../progress.ts";
import { EventPrinter } from "../session/event-printer.ts";
import { approverOn, elicitorOn } from "../session/open-session.ts";
import { ownOutputs, Screen } from "../session/screen.ts";
import { isTerminal, remark } from "../terminal.ts";
import type { ChatFront, OutputView } from "./chat-front.ts";
import { LineKeyboard } from "./line-keyboard.ts";

/** A chat in plain lines: for programs, screen readers and terminals that cannot move the cursor. */
export class LineFront implements ChatFront {
  readonly isInteractive = process.stdin.isTTY && isTerminal(2);
  readonly approve: Approve | undefined;
  readonly elicit: Elicit;
  readonly #keyboard = new LineKeyboard({ isAtTerminal: this.isInteractive });
  readonly #screen: Screen;
  readonly #isVerbose: boolean;
  readonly #target: string | undefined;
  #printer: EventPrinter;
  #progress: ReturnType<typeof commandProgress> | undefined;
  /** The output of the user's running command. */
  #output: ShownLines | undefined;

  constructor({ options }: Arguments) {
    // The live line would overwrite what the user types while the model works.
    this.#screen = new Screen(this.isInteractive ? { ...ownOutputs(), canRedraw: false } : ownOutputs());
    this.#isVerbose = options.has("verbose");
    this.#target = options.get("target");
    this.#printer = this.#newPrinter();
    this.approve = approverOn(this.#screen, options, (ask) => this.#keyboard.lend(ask));
    this.elicit = elicitorOn(this.#screen, options, (ask) => this.#keyboard.lend(ask));
  }

  open(_session: Session): void {
    this.#printer = this.#newPrinter();
  }

  /** The first Ctrl-C at the prompt only warns. */
  async read(): Promise<string | undefined> {
    let interruption = onInterruption();
    for (let isWarned = !this.isInteractive; ; isWarned = true) {
      const { signal, stop } = interruption;
      const input = await this.#keyboard.read(signal);
      // The next one begins before this one ends: a Ctrl-C in between would end the process.
      if (!isWarned && signal.reason === "SIGINT") interruption = onInterruption();
      stop();
      if (interruption.signal === signal) return input;
      remark("\nTo leave: Ctrl-C again, Ctrl-D, or /exit.\n");
    }
  }

  listen(hear: (input: string) => void): () => void {
    return this.#keyboard.listen(hear);
  }

  show(event: AgentEvent): void {
    this.#printer.show(event);
  }

  showLine(lines: string): void {
    this.#screen.showLine(lines);
  }

  endTurn(): void {
    this.#printer.stop();
  }

  whileBusy<Result>(doing: string, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const line = commandProgress("toolcrib", () => this.#output?.isAtLineStart ?? true);
    line.update(doing);
    this.#progress = line;
    return interruptible(work).finally(line.stop);
  }

  followOutput(): OutputView {
    const output = new ShownLines();
    this.#output = output;
    return {
      add: (text) => {
        this.#progress?.clear();
        remark(output.add(text));
      },
      end: (whole) => {
        if (!output.isAtLineStart) remark("\n");
        this.#output = undefined;
        const rest = output.without(whole).trimEnd();
        if (rest !== "") this.showLine(rest);
      },
    };
  }

  get confirm(): ChatFront["confirm"] {
    if (this.approve === undefined) return undefined;
    return async ({ warning, action }) => {
      const { confirm } = await import("../approvals/ask-on-terminal.ts");
      remark(`${printable(warning)}.\n`);
      return this.#keyboard.lend(() => interruptible((signal) => confirm(`${action}?`, signal)));
    };
  }

  submit(input: string): void {
    if (this.isInteractive) remark(`${input}\n`);
    this.#keyboard.add(input);
  }

  leave(): void {
    this.close();
  }

  close(): void {
    this.#keyboard.close();
  }

  #newPrinter(): EventPrinter {
    return new EventPrinter(this.#screen, { verbose: this.#isVerbose, target: this.#target });
  }
}
