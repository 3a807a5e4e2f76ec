import type { Session } from "../../agent/session.ts";
import type { CallResult } from "../../toolcrib/index.ts";
import type { Arguments } from "../command.ts";
import { onInterruption } from "../interruption.ts";
import { tellProgress } from "../progress.ts";
import { EventPrinter } from "../session/event-printer.ts";
import { LastRefusal } from "../session/exit-code-of-turn.ts";
import { approverOn, openSession, PrintedWarnings } from "../session/open-session.ts";
import type { Screen } from "../session/screen.ts";
import type { Beginning } from "../session/session-options.ts";
import type { Keyboard } from "./keyboard.ts";

/** A chat: one session after the other, on one screen and one keyboard. */
export class ChatSessions {
  readonly given: Arguments;
  readonly screen: Screen;
  readonly #keyboard: Keyboard;
  readonly #refusal = new LastRefusal();
  readonly #notes: string[] = [];
  readonly #warnings = new PrintedWarnings();
  #printer: EventPrinter;
  #session: Session | undefined;
  #isLeft = false;
  /** Of the latest turn. */
  exitCode = 0;

  constructor(given: Arguments, screen: Screen, keyboard: Keyboard) {
    this.given = given;
    this.screen = screen;
    this.#keyboard = keyboard;
    this.#printer = this.#newPrinter();
  }

  get session(): Session {
    if (this.#session === undefined) throw new Error("No session is open");
    return this.#session;
  }

  /** Another session in place of the one that is open. */
  async open(begin: Beginning): Promise<void> {
    const { given, screen } = this;
    const approve = approverOn(screen, given.options, (ask) => this.#keyboard.lend(ask));
    const next = await openSession(given, begin, approve);
    await this.close();
    this.#session = next;
    this.#warnings.tell(this.#session.crib.warnings);
    this.#printer = this.#newPrinter();
    this.#notes.length = 0;
    this.#session.on((event) => {
      this.#refusal.hear(event);
      this.#printer.show(event);
    });
  }

  /** Ends the turn that goes on, and the chat with it. */
  leave(): void {
    this.#isLeft = true;
    void this.#session?.abort();
  }

  /** One turn; lines that are typed meanwhile are told to the model. Whether the chat goes on. */
  async turn(input: string): Promise<boolean> {
    const { session } = this;
    const interruption = onInterruption();
    interruption.signal.addEventListener("abort", () => void session.abort());
    const stopListening = this.#keyboard.listen((line) => this.#steer(line));
    try {
      const notes = this.#notes.splice(0).map((note) => `[${note}]\n\n`);
      const result = await session.run(`${notes.join("")}${input}`).result;
      this.exitCode = this.#refusal.exitCode(result);
    } finally {
      stopListening();
      interruption.stop();
      this.#printer.stop();
      this.#warnings.tell(session.crib.warnings);
    }
    const { aborted, reason } = interruption.signal;
    return !this.#isLeft && (!aborted || reason === "SIGINT");
  }

  /** A call that the person makes, not the model: whatever its dialect, and nobody has to be asked. */
  callForPerson(tool: "journal.diff" | "journal.undo", input: object): Promise<CallResult> {
    return this.whileBusy("looks into the journal", async (signal) => {
      const person = await this.session.crib.addCaller({ dialect: "toolcrib" });
      return person.call(tool, input, { signal, approve: ({ hash }) => ({ allow: true, hash }) });
    });
  }

  /** Tells what is done where it takes long; Ctrl-C ends it, and not the chat. */
  async whileBusy<Result>(doing: string, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const interruption = onInterruption();
    interruption.signal.addEventListener("abort", () => void this.#session?.abort());
    const progress = tellProgress("toolcrib");
    progress.tell(doing);
    try {
      return await work(interruption.signal);
    } finally {
      progress.stop();
      interruption.stop();
    }
  }

  /** The model has to know it, and hears of it with what the person says next. */
  note(words: string): void {
    this.#notes.push(words);
  }

  async close(): Promise<void> {
    if (this.#session === undefined) return;
    await this.#session.close();
    this.#warnings.tell(this.#session.crib.warnings);
    this.#session = undefined;
  }

  #steer(line: string): void {
    if (line.trim() === "") return;
    if (line.startsWith("/")) this.screen.tell("Commands wait until the model has ended; Ctrl-C stops it.");
    else this.session.steer(line);
  }

  #newPrinter(): EventPrinter {
    return new EventPrinter(this.screen, { verbose: this.given.options.has("verbose") });
  }
}
