import { setTimeout as wait } from "node:timers/promises";
import type { PendingApproval } from "../../engine/approvals/question-store.ts";
import { BoundedCache } from "../../lib/bounded-cache.ts";
import { targetOf } from "../../toolcrib/workspace-journal.ts";
import type { PendingQuestion } from "../api.ts";
import type { ConsoleCommands } from "./services.ts";

/**
 * How many recorded questions each width of "always" would have answered. Counting replays calls, so a question is shown
 * first, and its numbers follow.
 */
export class AnsweredByRules {
  readonly #count: ConsoleCommands["countAnswered"];
  readonly #known = new BoundedCache<string, readonly number[]>({ maxEntries: 200 });
  #counting: Promise<void> = Promise.resolve();
  #onCounted = () => {};

  constructor(count: ConsoleCommands["countAnswered"]) {
    this.#count = count;
  }

  /** Calls the listener when numbers are known. */
  onCounted(listener: () => void): void {
    this.#onCounted = listener;
  }

  savedBy({ id, workspace, request: { widths = [] } }: PendingApproval): PendingQuestion["saved"] {
    const key = `${id} ${workspace}`;
    const known = this.#known.get(key);
    // A question must not make the console connect to a target.
    const isHere = targetOf(workspace) === "local";
    if (isHere && known === undefined && widths.length > 0) {
      this.#known.set(key, []);
      const rules = widths.map((width) => width.rules);
      this.#counting = this.#counting.then(() => this.#countLater(key, workspace, rules));
    }
    return known ?? [];
  }

  async #countLater(key: string, workspace: string, widths: readonly (readonly string[])[]): Promise<void> {
    await wait(pauseMs, undefined, { ref: false });
    try {
      this.#known.set(key, await this.#count(workspace, widths));
      this.#onCounted();
    } catch {
      // The workspace or its rules cannot be read. The question can be answered without the numbers.
    }
  }
}

/** Leaves time to send the question itself. */
const pauseMs = 50;
