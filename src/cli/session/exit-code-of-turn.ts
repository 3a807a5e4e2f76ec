import type { AgentEvent, TurnResult } from "../../agent/event.ts";
import { type ErrorCode, textForUser } from "../../contract/error.ts";
import type { CallFailure } from "../../toolcrib/index.ts";
import { exitCodeOf } from "../report.ts";

/** What `toolcrib run` means by its exit codes, as help tells it. */
export const turnExitCodes: readonly string[] = [
  "Exit codes: 0 the model has answered; 1 it failed, or was stopped by a limit or a loop; 2 the command line is wrong;",
  "3 and 4 it has answered, but the last it tried was refused: 3 by a rule, the boundary or you, 4 because nobody could",
  "be asked; 5 the model took too long; 130 interrupted.",
];

/** Remembers whether the model ended at a refusal: whether one of the last calls that it made was refused. */
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

  /** What the user can do about it, in one line; "" where nothing was refused. */
  get hint(): string {
    const hint = this.#error && textForUser(this.#error).hint;
    return hint ? `${hint}\n` : "";
  }

  exitCode({ outcome, error }: Pick<TurnResult, "outcome" | "error">): number {
    if (outcome === "completed") return exitCodeOf(this.#error?.code);
    if (outcome === "aborted") return exitCodeOf("cancelled");
    return error?.kind === "timeout" ? exitCodeOf("timeout") : 1;
  }
}

const refusals: ReadonlySet<ErrorCode> = new Set(["denied", "outside-workspace", "needs-approval"]);
