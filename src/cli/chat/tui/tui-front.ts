import { type Component, Container, isKeyRelease, matchesKey, setCapabilities } from "@earendil-works/pi-tui";
import type { AgentEvent } from "../../../agent/event.ts";
import type { Session } from "../../../agent/session.ts";
import { ToolError } from "../../../contract/error.ts";
import { monotonicMs } from "../../../lib/clock.ts";
import { printableLine } from "../../../lib/text/printable.ts";
import type { Elicit, ElicitAnswer } from "../../../mcp/types.ts";
import { AnsweredElsewhere, type Approval, type Approve } from "../../../toolcrib/index.ts";
import { quietMs } from "../../approvals/quiet-keys.ts";
import type { Arguments } from "../../command.ts";
import { interrupt, interruptible, onInterruption } from "../../interruption.ts";
import { askByForm, declineForms, type ReadInput } from "../../session/server-form.ts";
import { canAsk, captureOutput } from "../../terminal.ts";
import { customChoices } from "../chat-commands.ts";
import type { ChatFront, ConfirmQuestion, HunkQuestion, OutputView, PickQuestion } from "../chat-front.ts";
import { InputHistory } from "../input-history.ts";
import { LinesBlock, OutputBlock, userBlock } from "./blocks.ts";
import { ChatEditor } from "./chat-editor.ts";
import { ChatTerminal } from "./chat-terminal.ts";
import { ChatCompletion } from "./completion.ts";
import { DiffBrowser } from "./diff-browser.ts";
import { EventView } from "./event-view.ts";
import { ActivityPanel, StatusLine } from "./footer.ts";
import { Mentions } from "./mentions.ts";
import { Picker } from "./picker.ts";
import { Question, TextQuestion } from "./question.ts";
import { editorTheme } from "./theme.ts";
import { TranscriptScreen } from "./transcript.ts";

/** A chat on a screen: the conversation above, and an input area below that never mixes with it. */
export class TuiFront implements ChatFront {
  readonly isInteractive = true;
  readonly approve: Approve | undefined;
  readonly elicit: Elicit;
  readonly #terminal = new ChatTerminal();
  readonly #screen = new TranscriptScreen(this.#terminal);
  readonly #activity = new ActivityPanel();
  readonly #status = new StatusLine();
  readonly #input = new Container();
  readonly #editor = new ChatEditor(this.#screen, editorTheme);
  #quiet: NodeJS.Timeout | undefined;
  readonly #history = new InputHistory();
  readonly #completion = new ChatCompletion();
  readonly #isVerbose: boolean;
  #view: EventView;
  #release: (() => void) | undefined;
  #ticking: NodeJS.Timeout | undefined;
  /** Takes the next input; undefined means that the user leaves. */
  #take: ((input: string | undefined) => void) | undefined;
  #hear: ((input: string) => void) | undefined;
  /** Input that was sent before it could be read. */
  readonly #early: string[] = [];
  #isLeft = false;
  #list: Picker | DiffBrowser | undefined;
  #isWarned = false;
  /** When Esc was pressed at an empty input area. */
  #escapedAt = Number.NEGATIVE_INFINITY;
  #isInterrupted = false;
  #questions: Promise<unknown> = Promise.resolve();

  constructor({ options }: Arguments, notifications: string) {
    this.#terminal.notifications = notifications;
    this.#isVerbose = options.has("verbose");
    const mayAsk = canAsk(options);
    this.approve = mayAsk ? (...asked) => this.#ask(...asked) : undefined;
    this.elicit = mayAsk
      ? (question) => this.#askForServer(question)
      : declineForms((line) => this.showLine(line));
    this.#view = this.#newView();
    this.#input.addChild(this.#editor);
    for (const part of [this.#activity, this.#input, this.#status]) this.#screen.addChild(part);
    for (const input of this.#history.newestFirst.slice(0, maxRemembered).reverse())
      this.#editor.addToHistory(input);
    this.#editor.setAutocompleteProvider(this.#completion);
    this.#editor.onInput = (input) => {
      this.#remember(input);
      this.#submit(input);
    };
    this.#screen.addInputListener((data) => (this.#handleKey(data) ? { consume: true } : undefined));
    // The user can type while the session opens, which leaves no time to draw.
    this.#start();
    this.#screen.renderNow();
  }

  open(session: Session): void {
    this.#view = this.#newView();
    this.#status.session = session;
    this.#completion.mentions = new Mentions(session, (remark) => {
      this.#status.remark = remark;
      this.#draw();
    });
    this.#completion.readCommands = () => customChoices(session);
    this.#draw();
  }

  read(): Promise<string | undefined> {
    if (this.#isLeft) return Promise.resolve(undefined);
    const early = this.#early.shift();
    if (early !== undefined) return Promise.resolve(early);
    return interruptible((signal) => {
      const { promise, resolve } = Promise.withResolvers<string | undefined>();
      this.#take = resolve;
      signal.addEventListener("abort", () => resolve(undefined));
      return promise.finally(() => {
        this.#take = undefined;
      });
    });
  }

  listen(hear: (input: string) => void): () => void {
    this.#hear = hear;
    this.#isInterrupted = false;
    this.#status.turnStart = monotonicMs();
    return () => {
      this.#hear = undefined;
    };
  }

  show(event: AgentEvent): void {
    this.#view.show(event);
    this.#draw();
  }

  showLine(lines: string): void {
    const text = lines.replace(/\n+$/, "");
    if (text.trim() !== "") this.#screen.transcript.add(new LinesBlock(text));
    this.#draw();
  }

  endTurn(): void {
    if (this.#status.turnStart !== undefined) this.#terminal.notify("the model is done");
    this.#activity.clear();
    this.#status.turnStart = undefined;
    this.#draw();
  }

  async whileBusy<Result>(doing: string, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const { signal, stop } = onInterruption();
    this.#isInterrupted = false;
    this.#activity.begin(doing, doing);
    this.#draw();
    try {
      return await work(signal);
    } finally {
      stop();
      this.#activity.end(doing);
      this.#draw();
    }
  }

  followOutput(): OutputView {
    const block = new OutputBlock();
    this.#screen.transcript.add(block);
    return {
      add: (text) => {
        block.add(text);
        this.#draw();
      },
      end: (output) => {
        block.finish(output);
        this.#draw();
      },
    };
  }

  pick(question: PickQuestion): Promise<string | undefined> {
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    return this.#showInstead(new Picker(question, resolve), promise);
  }

  browse(question: HunkQuestion): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const browser = new DiffBrowser(
      question,
      resolve,
      () => this.#terminal.rows,
      () => this.#draw(),
    );
    return this.#showInstead(browser, promise);
  }

  async confirm({ warning, action }: ConfirmQuestion): Promise<boolean> {
    const choices = [
      { value: "", label: "Cancel" },
      { value: "yes", label: action },
    ];
    const question = { title: `${printableLine(warning)}.`, choices };
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    this.#drawWhenQuiet();
    const picker = new Picker(question, resolve, { typed: this.#keepTyped });
    return (await this.#showInstead(picker, promise)) === "yes";
  }

  prefill(text: string): void {
    this.#editor.setText(text);
    this.#draw();
  }

  submit(input: string): void {
    this.#submit(input);
  }

  leave(): void {
    this.#isLeft = true;
    this.#take?.(undefined);
  }

  async close(): Promise<void> {
    await this.#terminal.answered();
    this.#stop();
  }

  /** Shows one question at a time, in place of the input area. */
  #ask(...[request, signal, ready]: Parameters<Approve>): Promise<Approval> {
    return this.#inTurn(async () => {
      await ready?.();
      signal.throwIfAborted();
      this.#terminal.notify("waiting for your approval");
      const typed = this.#keepTyped;
      return this.#untilAnswered((answer) => new Question(request, answer, { typed }), signal);
    });
  }

  /** Moves what was typed ahead of a question to the input line. */
  readonly #keepTyped = (text: string) => {
    if (text !== "") this.#editor.insertTextAtCursor(text);
    this.#drawWhenQuiet();
  };

  /** Shows the form of an MCP server, one field after the other. */
  #askForServer(question: Parameters<Elicit>[0]): Promise<ElicitAnswer> {
    let continues = false;
    const read: ReadInput = (lines, signal) => {
      const newQuestion = (answer: (text: string | undefined) => void) =>
        new TextQuestion(lines, answer, continues);
      return this.#untilAnswered(newQuestion, signal).finally(() => {
        continues = true;
      });
    };
    return this.#inTurn(async () => {
      question.signal.throwIfAborted();
      this.#terminal.notify("an MCP server asks you");
      return askByForm(question, read, this.#screen.terminal.columns);
    });
  }

  #inTurn<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    const answer = this.#questions.then(ask);
    this.#questions = answer.catch(() => {});
    return answer;
  }

  /** Shows a question in place of the input area until it is answered. Throws when the signal is aborted before. */
  #untilAnswered<Answer>(
    newQuestion: (answer: (given: Answer) => void) => Component,
    signal: AbortSignal,
  ): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const cancel = () => {
      if (signal.reason instanceof AnsweredElsewhere) this.showLine(`${signal.reason.message}.`);
      reject(new ToolError("cancelled", "Interrupted"));
    };
    signal.addEventListener("abort", cancel);
    this.#drawWhenQuiet();
    return this.#showInstead(newQuestion(resolve), promise).finally(() => {
      clearTimeout(this.#quiet);
      signal.removeEventListener("abort", cancel);
    });
  }

  /** Shows the answers of a question as soon as keys count. */
  #drawWhenQuiet(): void {
    clearTimeout(this.#quiet);
    this.#quiet = setTimeout(() => this.#draw(), quietMs + 10);
  }

  /** Shows a component in place of the input area, until it is answered. */
  async #showInstead<Answer>(component: Component, answer: Promise<Answer>): Promise<Answer> {
    const before = this.#input.children[0] ?? this.#editor;
    this.#replaceInput(component);
    try {
      return await answer;
    } finally {
      this.#replaceInput(before);
    }
  }

  #replaceInput(component: Component): void {
    this.#activity.isAsking = component instanceof Question || component instanceof TextQuestion;
    this.#list = component instanceof Picker || component instanceof DiffBrowser ? component : undefined;
    this.#input.clear();
    this.#input.addChild(component);
    this.#screen.setFocus(component);
    this.#draw();
  }

  /** Adds typed input to the history of the arrow keys. */
  #remember(input: string): void {
    if (input.trim() === "") return;
    this.#history.add(input);
    this.#editor.addToHistory(input);
  }

  #submit(input: string): void {
    this.#isWarned = false;
    if (input.trim() === "") return;
    if (this.#hear) {
      if (!input.startsWith("/")) this.#activity.wait(input);
      this.#hear(input);
    } else if (this.#take) {
      this.#screen.transcript.add(userBlock(input));
      this.#take(input);
    } else {
      this.#screen.transcript.add(userBlock(input));
      this.#early.push(input);
    }
    this.#draw();
  }

  /** Handles the keys that mean the same everywhere. Returns whether it was one. */
  #handleKey(data: string): boolean {
    if (isKeyRelease(data)) return false;
    this.#status.remark = "";
    // A list is left with the same keys, and has no others in common.
    if (this.#list) return matchesKey(data, "ctrl+c") && this.#cancelPick();
    if (matchesKey(data, "ctrl+c")) this.#handleInterrupt();
    else if (matchesKey(data, "escape") && this.#isBusy && !this.#hasOtherUse) {
      if (!this.#isInterrupted) this.#interrupt();
    } else if (matchesKey(data, "ctrl+d") && this.#editor.getText() === "") {
      this.leave();
      if (this.#isBusy) this.#interrupt();
    } else if (matchesKey(data, "ctrl+o")) this.#view.toggleCalls(this.#screen.terminal.columns);
    else if (matchesKey(data, "ctrl+r") && !this.#activity.isAsking) void this.#searchHistory();
    else if (matchesKey(data, "ctrl+z")) this.#suspend();
    else if (matchesKey(data, "escape") && !this.#isBusy) return this.#handleEscape();
    else return false;
    this.#draw();
    return true;
  }

  /** Esc closes a list of completions, and answers a question. */
  get #hasOtherUse(): boolean {
    return this.#activity.isAsking || this.#editor.isShowingAutocomplete();
  }

  get #isBusy(): boolean {
    return this.#take === undefined;
  }

  #handleInterrupt(): void {
    if (this.#isBusy) {
      this.#interrupt();
      return;
    }
    const wasEmpty = this.#editor.getText() === "";
    this.#editor.setText("");
    if (!wasEmpty) return;
    if (this.#isWarned) this.leave();
    this.#isWarned = true;
    this.#status.remark = "To leave: Ctrl-C again, Ctrl-D, or /exit.";
  }

  /** Twice at an empty input area edits an earlier message. */
  #handleEscape(): boolean {
    if (this.#editor.getText() !== "" || this.#editor.isShowingAutocomplete()) return false;
    const isSecond = monotonicMs() - this.#escapedAt < twiceMs;
    this.#escapedAt = isSecond ? Number.NEGATIVE_INFINITY : monotonicMs();
    if (isSecond) this.#take?.("/edit");
    else this.#status.remark = "Esc again edits an earlier message.";
    this.#draw();
    return true;
  }

  #cancelPick(): boolean {
    this.#list?.handleInput(escapeKey);
    return true;
  }

  async #searchHistory(): Promise<void> {
    const inputs = this.#history.newestFirst;
    const choices = inputs.map((input, index) => ({
      value: String(index),
      label: printableLine(input.slice(0, maxLabelChars).replace(/\s+/g, " ")),
    }));
    const picked = await this.pick({ title: "Earlier input", choices });
    const input = inputs[Number(picked ?? Number.NaN)];
    if (input !== undefined) this.prefill(input);
  }

  /** Does the same as Ctrl-C in plain lines, so that `interruption.ts` alone decides what stops. */
  #interrupt(): void {
    this.#isInterrupted = true;
    interrupt("SIGINT");
  }

  #suspend(): void {
    this.#stop();
    const keepAlive = setInterval(() => {}, 60_000);
    process.once("SIGCONT", () => {
      clearInterval(keepAlive);
      this.#start();
      this.#screen.requestRender(true);
    });
    // Suspends the whole process group, as the terminal would, because a launcher may have started this process.
    process.kill(0, "SIGTSTP");
  }

  #start(): void {
    const stopCapture = captureOutput((text) => this.showLine(text));
    const restore = () => this.#stop();
    process.on("exit", restore);
    // These events mean that the terminal was closed.
    process.stdout.on("error", this.#hangUp);
    process.stdin.on("end", this.#hangUp);
    process.stdin.on("error", this.#hangUp);
    this.#release = () => {
      stopCapture();
      process.off("exit", restore);
      process.stdin.off("end", this.#hangUp);
    };
    // Shows every address, so that a link cannot hide where it leads.
    setCapabilities({ images: null, trueColor: false, hyperlinks: false });
    this.#ticking = setInterval(() => {
      if (this.#activity.isBusy || this.#status.turnStart !== undefined) this.#screen.requestRender();
    }, tickMs);
    this.#screen.setFocus(this.#editor);
    this.#screen.start();
  }

  #stop(): void {
    if (this.#release === undefined) return;
    clearInterval(this.#ticking);
    this.#release();
    this.#release = undefined;
    if (this.#status.session === undefined) this.#clearFooter();
    this.#screen.stop();
  }

  /** No session could be opened: only the error remains. */
  #clearFooter(): void {
    for (const part of [this.#activity, this.#input, this.#status]) this.#screen.removeChild(part);
    this.#screen.renderNow();
  }

  readonly #hangUp = () => {
    this.leave();
    if (this.#isBusy) interrupt("SIGHUP");
  };

  #draw(): void {
    this.#screen.requestRender();
  }

  #newView(): EventView {
    return new EventView(this.#screen.transcript, this.#activity, { verbose: this.#isVerbose });
  }
}

/** Arrow keys bring back this many inputs. */
const maxRemembered = 100;
const tickMs = 250;
const twiceMs = 1_000;
const maxLabelChars = 400;
const escapeKey = "\u001b";
