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
import { monotonicMs } from "../../../lib/clock.ts";
import type { Approval, ApprovalRequest } from "../../../toolcrib/index.ts";
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
  readonly #shownAt = monotonicMs();
  #columns = 80;
  #isExplained = false;
  /** Whether the user chooses the rule that "always" adds. */
  #isChoosing = false;
  /** The message of a refusal, while it is typed. */
  #message: Input | undefined;

  constructor(request: ApprovalRequest, answer: (answer: Approval) => void) {
    this.#request = request;
    this.#answer = answer;
  }

  /** Keys typed just before the question appeared were meant for something else. */
  get isArmed(): boolean {
    return monotonicMs() - this.#shownAt >= settleMs;
  }

  render(width: number): string[] {
    this.#columns = width;
    const show = this.#isExplained ? explainRequest : showRequest;
    const choices = this.#isChoosing
      ? `${showWidths(this.#request, width)}Type a number, or b to go back.`
      : showChoices(this.#request, width);
    const prompt = this.#message ? "Message to the model:" : this.isArmed ? choices : "…";
    return [
      tones.yellow("─".repeat(width)),
      ...show(this.#request, width).trim().split("\n"),
      ...prompt.split("\n").map((line) => tones.bold(line)),
    ]
      .flatMap((line) => wrapTextWithAnsi(line, width))
      .concat(this.#message?.render(width) ?? []);
  }

  handleInput(data: string): void {
    if (!this.isArmed || isKeyRelease(data)) return;
    if (this.#message) {
      this.#message.handleInput(data);
      return;
    }
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
  readonly #armedAt: number;

  /** Ignores all keys for `ignoreMs`: they were meant for something else. */
  constructor(lines: readonly string[], answer: (text: string | undefined) => void, ignoreMs: number) {
    this.#lines = lines;
    this.#armedAt = monotonicMs() + ignoreMs;
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
      .concat(tones.dim(this.#isArmed ? "Enter answers, Esc cancels" : "…"));
  }

  handleInput(data: string): void {
    if (this.#isArmed && !isKeyRelease(data)) this.#input.handleInput(data);
  }

  get #isArmed(): boolean {
    return monotonicMs() >= this.#armedAt;
  }

  invalidate(): void {}
}

/** Long enough for a key that was already on its way. */
export const settleMs = 400;
