import type { AgentEvent, TurnResult } from "../../agent/event.ts";
import { type ErrorCode, textForUser } from "../../contract/error.ts";
import type { CallFailure } from "../../toolcrib/index.ts";
import { exitCodeOf } from "../report.ts";

/** The exit codes of `toolcrib run`, for help. */
export const turnExitCodes =
  "Exit codes: 0 the model answered; 1 failure, limit or loop; 2 wrong command line; 3 it answered, but its last calls were denied; 4 it answered, but its last calls needed approval; 5 the model timed out; 130 interrupted.";

/** Remembers whether the last calls of a turn were refused. */
export class LastRefusal {
  #round = 0;
  #roundOfCalls = 0;
  #error: CallFailure | undefined;

  hear(event: AgentEvent): void {
    if (event.agent !== undefined) return;
    if (event.type === "turn-start") this.#error = undefined;
    if (event.type === "round-start") this.#round += 1;
    if (event.type !== "tool-end") return;
    if (this.#roundOfCalls !== this.#round) this.#error = undefined;
    this.#roundOfCalls = this.#round;
    if (event.error && refusals.has(event.error.code)) this.#error = event.error;
  }

  /** The hint for the user, in one line; "" when no call was refused. */
  get hint(): string {
    const hint = this.#error && textForUser(this.#error).hint;
    return hint ? `${hint}\n` : "";
  }

  exitCode({ outcome, error }: Pick<TurnResult, "outcome" | "error">): number {
    if (outcome === "completed") return exitCodeOf(this.#error?.code);
    if (outcome === "aborted") return exitCodeOf("cancelled");
    return error?.code === "timeout" ? exitCodeOf("timeout") : 1;
  }
}

const refusals: ReadonlySet<ErrorCode> = new Set(["denied", "outside-workspace", "needs-approval"]);
