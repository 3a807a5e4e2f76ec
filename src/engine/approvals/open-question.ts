import type { ApprovalFiles } from "../../system/approval-files.ts";
import { attemptQuietly } from "../../system/attempt.ts";
import type { Approval } from "./approval-request.ts";
import { isSame, type PendingApproval, parseAnswer } from "./stored-approval.ts";

/** The stored question of a call that waits in this process. */
export class OpenQuestion {
  readonly pending: PendingApproval;
  readonly #name: string;
  readonly #files: ApprovalFiles;

  constructor(pending: PendingApproval, name: string, files: ApprovalFiles) {
    this.pending = pending;
    this.#name = name;
    this.#files = files;
  }

  /** Resolves with the answer of another program. Never resolves after `signal` has aborted. */
  answered(signal: AbortSignal): Promise<Approval> {
    const { promise, resolve } = Promise.withResolvers<Approval>();
    const look = () => {
      const answer = attemptQuietly(() => this.#answer());
      if (answer) resolve(answer);
    };
    const stop = this.#files.watch(look);
    signal.addEventListener("abort", stop, { once: true });
    void promise.then(stop);
    look();
    return promise;
  }

  /** Ends the question. Returns the answer of another program if it came first. */
  close(): Approval | undefined {
    // No later answer can take this name.
    const isFirst = this.#files.create(`${this.#name}.answer`, "{}");
    const answer = isFirst ? undefined : this.#answer();
    // Tells the program that answered that its answer counts, if it looks after the question is gone.
    if (answer) this.#files.write(`${this.#name}.answer`, "{}");
    this.#files.remove(`${this.#name}.question`);
    this.#files.remove(`${this.#name}.answer`);
    return answer;
  }

  /** Returns the answer to exactly this question. Removes anything else in its place. */
  #answer(): Approval | undefined {
    const text = this.#files.read(`${this.#name}.answer`);
    const answer = parseAnswer(text);
    const { hash } = this.pending;
    if (answer && isSame(answer, this.pending))
      return answer.says.allow ? { ...answer.says, hash } : answer.says;
    // While anything is in its place, no true answer can be created there.
    if (text !== undefined || this.#files.isLink(`${this.#name}.answer`))
      this.#files.remove(`${this.#name}.answer`);
    return undefined;
  }
}
