import {
  type Component,
  Input,
  isKeyRelease,
  matchesKey,
  parseKey,
  truncateToWidth,
  wrapTextWithAnsi,
} from "@earendil-works/pi-tui";
import { widthsOf } from "../../../engine/approvals/question-text.ts";
import type { Approval, ApprovalRequest } from "../../../toolcrib/index.ts";
import { QuietKeys } from "../../approvals/quiet-keys.ts";
import {
  explainRequest,
  isRuleShown,
  quoteMark,
  showChoices,
  showRequest,
  showWidths,
} from "../../approvals/show-request.ts";
import { tones } from "./theme.ts";

/** An approval request in place of the input area. It is answered with one key; Enter alone does not answer. */
export class Question implements Component {
  readonly #request: ApprovalRequest;
  readonly #answer: (answer: Approval) => void;
  readonly #typed: (text: string) => void;
  readonly #keys: QuietKeys;
  #columns = 80;
  #isExplained = false;
  /** Whether the user chooses the rule that "always" adds. */
  #isChoosing = false;
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
    this.#request = request;
    this.#answer = answer;
    this.#typed = typed;
    this.#keys = new QuietKeys(now);
  }

  render(width: number): string[] {
    this.#columns = width;
    const show = this.#isExplained ? explainRequest : showRequest;
    const choices = this.#isChoosing
      ? `${showWidths(this.#request, width)}Type a number, or b to go back.`
      : showChoices(this.#request, width);
    const prompt = this.#message ? "Message to the model:" : this.#keys.isQuiet ? choices : waiting;
    return [
      tones.yellow("─".repeat(width)),
      ...show(this.#request, width).trim().split("\n"),
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
    const mayRemember = this.#request.grants.length > 0;
    const { hash } = this.#request;
    const key = matchesKey(data, "escape") ? (this.#isChoosing ? "b" : "n") : parseKey(data)?.toLowerCase();
    if (this.#isChoosing) {
      const width = widthsOf(this.#request).findIndex((_rule, at) => key === `${at + 1}`);
      if (width >= 0) this.#answer({ allow: true, remember: "always", width, hash });
      else if (key === "b") this.#isChoosing = false;
    } else if (key === "e") this.#isExplained = !this.#isExplained;
    else if (key === "y") this.#answer({ allow: true, hash });
    else if (key === "s" && mayRemember) this.#answer({ allow: true, remember: "session", hash });
    else if (key === "a" && mayRemember) {
      if (isRuleShown(this.#request, this.#columns)) this.#answer({ allow: true, remember: "always", hash });
      else this.#isChoosing = true;
    } else if (key === "n") this.#answer({ allow: false });
    else if (key === "m") this.#readMessage();
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
const waiting = "… (keys answer when you have not typed for a moment)";

function isText(data: string): boolean {
  return data !== "" && !/\p{Cc}/u.test(data);
}
