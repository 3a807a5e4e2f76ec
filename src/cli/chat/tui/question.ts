import { type Component, isKeyRelease, matchesKey, parseKey, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import { monotonicMs } from "../../../lib/clock.ts";
import type { Approval, ApprovalRequest } from "../../../toolcrib/index.ts";
import { showRequest } from "../../approvals/show-request.ts";
import { tones } from "./theme.ts";

/** An approval request in place of the input area. It is answered with one key; Enter alone does not answer. */
export class Question implements Component {
  readonly #request: ApprovalRequest;
  readonly #answer: (answer: Approval) => void;
  readonly #shownAt = monotonicMs();

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
    const choices = `[y]es once${mayRemember ? "  [s]ession  [a]lways" : ""}  [n]o`;
    return [
      tones.yellow("─".repeat(width)),
      ...showRequest(this.#request, width).trim().split("\n"),
      tones.bold(this.isArmed ? choices : "…"),
    ].flatMap((line) => wrapTextWithAnsi(line, width));
  }

  handleInput(data: string): void {
    if (!this.isArmed || isKeyRelease(data)) return;
    const mayRemember = this.#request.grants.length > 0;
    const { hash } = this.#request;
    const key = matchesKey(data, "escape") ? "n" : parseKey(data)?.toLowerCase();
    if (key === "y") this.#answer({ allow: true, hash });
    else if (key === "s" && mayRemember) this.#answer({ allow: true, remember: "session", hash });
    else if (key === "a" && mayRemember) this.#answer({ allow: true, remember: "always", hash });
    else if (key === "n") this.#answer({ allow: false });
  }

  invalidate(): void {}
}

/** Long enough for a key that was already on its way. */
export const settleMs = 400;
