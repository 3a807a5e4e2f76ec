import { unlessAborted } from "../../lib/async/abort.ts";

/**
 * Lets at most one request of a session and its subagents pass the limit of cost: near the limit, requests wait for
 * each other.
 */
export class CostTurns {
  readonly #limit: number;
  readonly #spent: () => number;
  readonly #open = new Set<OpenRequest>();
  #left = Promise.withResolvers<void>();

  /** `spent`: US dollars of all replies so far. */
  constructor(limit: number, spent: () => number) {
    this.#limit = limit;
    this.#spent = spent;
  }

  /**
   * Waits until a request that costs at most `most` may begin; null for an unknown amount. Returns a function to call
   * when its cost is counted.
   */
  async enter(most: number | null, signal: AbortSignal): Promise<() => void> {
    const request: OpenRequest = { most: most ?? Number.POSITIVE_INFINITY };
    while (!this.#mayBegin(request) && !signal.aborted) await unlessAborted(this.#left.promise, signal);
    this.#open.add(request);
    return () => {
      this.#open.delete(request);
      this.#left.resolve();
      this.#left = Promise.withResolvers();
    };
  }

  #mayBegin({ most }: OpenRequest): boolean {
    if (this.#open.size === 0 || this.#limit === Number.POSITIVE_INFINITY) return true;
    const reserved = [...this.#open].reduce((sum, request) => sum + request.most, most);
    return this.#spent() + reserved < this.#limit;
  }
}

interface OpenRequest {
  /** The most US dollars that it can cost. */
  readonly most: number;
}
