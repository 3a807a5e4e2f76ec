import {
  type Component,
  Input,
  isKeyRelease,
  matchesKey,
  parseKey,
  truncateToWidth,
  wrapTextWithAnsi,
} from "@earendil-works/pi-tui";
import { type ApprovalView, answers, approvalView } from "../../../engine/approvals/approval-view.ts";
import type { Approval, ApprovalRequest } from "../../../toolcrib/index.ts";
import { QuietKeys } from "../../approvals/quiet-keys.ts";
import {
  choiceOf,
  explainRequest,
  quoteMark,
  showChoices,
  showRequest,
} from "../../approvals/show-request.ts";
import { tones } from "./theme.ts";

/** An approval request in place of the input area. It is answered with one key; Enter alone does not answer. */
export class Question implements Component {
  readonly #view: ApprovalView;
  readonly #hash: string;
  readonly #answer: (answer: Approval) => void;
  readonly #typed: (text: string) => void;
  readonly #keys: QuietKeys;
  #isExplained = false;
  /** The message of a refusal, while it is typed. */
  #message: Input | undefined;

  constructor(
    request: ApprovalRequest,
    answer: (answer: Approval) => void,
    {
      typed,
      now,
    }: {
      /** Called for each key: with its text when it was not meant as an answer, else with "". */
      readonly typed: (text: string) => void;
      readonly now?: () => number;
    },
  ) {
    this.#view = approvalView(request);
    this.#hash = request.hash;
    this.#answer = answer;
    this.#typed = typed;
    this.#keys = new QuietKeys(now);
  }

  render(width: number): string[] {
    const show = this.#isExplained ? explainRequest : showRequest;
    const choices = showChoices(this.#view, width);
    const prompt = this.#message ? "Message to the model:" : this.#keys.isQuiet ? choices : waiting;
    return [
      tones.yellow("─".repeat(width)),
      ...show(this.#view, width).trim().split("\n"),
      ...prompt.split("\n").map((line) => tones.bold(line)),
    ]
      .flatMap((line) => wrapTextWithAnsi(line, width))
      .concat(this.#message?.render(width) ?? []);
  }

  handleInput(data: string): void {
    if (isKeyRelease(data)) return;
    if (this.#message) {
      this.#message.handleInput(data);
      return;
    }
    const mayAnswer = this.#keys.press();
    this.#typed(mayAnswer || !isText(data) ? "" : data);
    if (!mayAnswer) return;
    const key = matchesKey(data, "escape") ? "n" : (parseKey(data) ?? "");
    const choice = choiceOf(this.#view, key);
    const approval = choice && answers[choice.id];
    if (approval) this.#answer(approval.allow ? { ...approval, hash: this.#hash } : approval);
    else if (/^e$/i.test(key)) this.#isExplained = !this.#isExplained;
    else if (/^m$/i.test(key)) this.#readMessage();
  }

  #readMessage(): void {
    const input = new Input({ prompt: "> " });
    input.focused = true;
    input.onSubmit = (message) => this.#answer({ allow: false, message });
    input.onEscape = () => {
      this.#message = undefined;
    };
    this.#message = input;
  }

  invalidate(): void {}
}

/** Lines of text and an input in place of the input area. Enter answers, Esc cancels. */
export class TextQuestion implements Component {
  readonly #lines: readonly string[];
  readonly #input = new Input({ prompt: "> " });
  readonly #keys = new QuietKeys();
  #isArmed: boolean;

  /** Ignores keys until the terminal is silent, unless it `continues` a form: they were meant for something else. */
  constructor(lines: readonly string[], answer: (text: string | undefined) => void, continues: boolean) {
    this.#lines = lines;
    this.#isArmed = continues;
    this.#input.focused = true;
    this.#input.onSubmit = (text) => answer(text);
    this.#input.onEscape = () => answer(undefined);
  }

  render(width: number): string[] {
    // A piece of a quoted line without its mark could look like text of Toolcrib.
    const fit = (line: string) =>
      line.startsWith(quoteMark) ? [truncateToWidth(line, width, "…")] : wrapTextWithAnsi(line, width);
    return [tones.cyan("─".repeat(width)), ...this.#lines.flatMap(fit)]
      .concat(this.#input.render(width))
      .concat(tones.dim(this.#isArmed || this.#keys.isQuiet ? "Enter answers, Esc cancels" : waiting));
  }

  handleInput(data: string): void {
    if (isKeyRelease(data)) return;
    this.#isArmed ||= this.#keys.press();
    if (this.#isArmed) this.#input.handleInput(data);
  }

  invalidate(): void {}
}

/** Shown in place of the answers until keys count. */
export const waiting = "… (keys answer when you have not typed for a moment)";

export function isText(data: string): boolean {
  return data !== "" && !/\p{Cc}/u.test(data);
}
