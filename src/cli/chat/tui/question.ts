import {
  type Component,
  Input,
  isKeyRelease,
  matchesKey,
  parseKey,
  wrapTextWithAnsi,
} from "@earendil-works/pi-tui";
import { monotonicMs } from "../../../lib/clock.ts";
import type { Approval, ApprovalRequest } from "../../../toolcrib/index.ts";
import { showRequest } from "../../approvals/show-request.ts";
import { tones } from "./theme.ts";

/** An approval request in place of the input area. It is answered with one key; Enter alone does not answer. */
export class Question implements Component {
  readonly #request: ApprovalRequest;
  readonly #answer: (answer: Approval) => void;
  readonly #shownAt = monotonicMs();
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
    const mayRemember = this.#request.grants.length > 0;
    const choices = `[y]es once${mayRemember ? "  [s]ession  [a]lways" : ""}  [n]o  [m]essage and no`;
    const prompt = this.#message ? "Message to the model:" : this.isArmed ? choices : "…";
    return [
      tones.yellow("─".repeat(width)),
      ...showRequest(this.#request, width).trim().split("\n"),
      tones.bold(prompt),
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
    const key = matchesKey(data, "escape") ? "n" : parseKey(data)?.toLowerCase();
    if (key === "y") this.#answer({ allow: true, hash });
    else if (key === "s" && mayRemember) this.#answer({ allow: true, remember: "session", hash });
    else if (key === "a" && mayRemember) this.#answer({ allow: true, remember: "always", hash });
    else if (key === "n") this.#answer({ allow: false });
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

/** Long enough for a key that was already on its way. */
export const settleMs = 400;
