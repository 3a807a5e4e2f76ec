import { setTimeout as pause } from "node:timers/promises";
import {
  type Model,
  ModelError,
  type ModelEvent,
  type ModelRequest,
  type TokenUsage,
} from "../../agent/index.ts";
import { ToolError } from "../../contract/error.ts";
import { estimateBrokenUsage, estimateInput } from "../../models/estimate-usage.ts";
import { costOf } from "../../models/model-facts.ts";
import type { Claim, FleetStore, RequestEstimate, Run } from "../fleet.ts";
import { isDatabaseUnavailable } from "../store/sql-database.ts";
import type { WorkClock } from "./work-clock.ts";

export interface GateOptions {
  readonly store: Pick<FleetStore, "admit" | "settle" | "pauseLane">;
  readonly run: Pick<Run, "id" | "fleet">;
  readonly claim: Claim;
  readonly clock: WorkClock;
  /** A run does not wait longer than this for a lane; it is parked. */
  readonly longestWaitMs: number;
  /** The first pause of a lane after a failed request; it doubles. */
  readonly firstPauseMs: number;
}

/**
 * Lets each request of a run pass the shared budgets: takes money and tokens before it, waits when told, and settles
 * them after it. A request that fails because of its provider pauses the lane for all workers.
 */
export class ModelGate {
  readonly #options: GateOptions;
  #model: string | undefined;
  #failures = 0;
  #storeFailure: unknown;
  /** Starts the clock again, which stands still between a failed request and the next one. */
  #endPause = () => {};
  /** Why the last request was refused before it was sent. */
  refusal: "budget" | "cancelled" | "parked" | undefined;
  /** When the provider may answer again, after a failure. */
  retryAt = 0;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /** A run tries one model: subagents with another one would change its result, and its price. */
  readonly wrap = (model: Model): Model => {
    this.#model ??= model.id;
    if (model.id !== this.#model)
      throw new ToolError("denied", `Subagents of this run use its model, ${this.#model}`);
    return { ...model, stream: (request, signal) => this.#watched(this.#stream(model, request, signal)) };
  };

  /** A turn that ended because the store did not answer says nothing about the run. */
  throwIfStoreFailed(): void {
    if (this.#storeFailure !== undefined) throw this.#storeFailure;
  }

  async *#watched(events: AsyncGenerator<ModelEvent, void>): AsyncGenerator<ModelEvent, void> {
    try {
      yield* events;
    } catch (error) {
      if (isDatabaseUnavailable(error)) this.#storeFailure = error;
      throw error;
    }
  }

  async *#stream(model: Model, request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, void> {
    const { store } = this.#options;
    this.#endPause();
    const estimate = this.#estimate(model, request);
    const id = yield* this.#admit(estimate, signal);
    let usage: TokenUsage | undefined;
    let received: string | undefined;
    let isSettled = false;
    try {
      for await (const event of model.stream(request, signal)) {
        received ??= "";
        if (event.type === "part-delta" || event.type === "call-delta") received += event.text;
        if (event.type === "finish") {
          isSettled = true;
          await store.settle(id, used(event.usage, model));
          this.#failures = 0;
        }
        yield event;
      }
    } catch (error) {
      if (error instanceof ModelError) usage = error.usage;
      if (error instanceof ModelError && pausing.has(error.code)) await this.#pauseLane(model, error);
      throw error;
    } finally {
      // The provider may charge for a reply that was cut off.
      if (received !== undefined) usage ??= estimateBrokenUsage(request, received);
      if (!isSettled) await store.settle(id, used(usage ?? noUsage, model));
    }
  }

  async *#admit(estimate: RequestEstimate, signal: AbortSignal): AsyncGenerator<ModelEvent, string> {
    const { store, clock, longestWaitMs } = this.#options;
    for (;;) {
      const admission = await store.admit(estimate);
      signal.throwIfAborted();
      if (admission.admitted) {
        this.refusal = undefined;
        return admission.request;
      }
      if (admission.why !== "wait") {
        this.refusal = admission.why;
        throw new ModelError("quota", refusals[admission.why]);
      }
      const { waitMs } = admission;
      if (waitMs > longestWaitMs) {
        this.refusal = "parked";
        this.retryAt = Date.now() + waitMs;
        throw new ModelError("quota", `Requests to ${estimate.lane} are paused.`);
      }
      const resume = clock.pause();
      await pause(Math.min(waitMs, aliveMs), undefined, { signal }).finally(resume);
      // An event without content: the session gives up a model that sends nothing.
      yield { type: "call-delta", id: "waiting", text: "" };
    }
  }

  async #pauseLane({ provider }: Model, { retryAfterMs }: ModelError): Promise<void> {
    const backOff = Math.min(mostPauseMs, this.#options.firstPauseMs * 2 ** this.#failures);
    this.#failures += 1;
    const wanted = retryAfterMs ?? backOff * (0.5 + Math.random() / 2);
    const pauseMs = Math.round(Math.min(longestPauseMs, wanted));
    this.retryAt = Date.now() + pauseMs;
    this.#endPause();
    this.#endPause = this.#options.clock.pause();
    await this.#options.store.pauseLane(provider, pauseMs);
  }

  #estimate(model: Model, request: ModelRequest): RequestEstimate {
    const { run, claim } = this.#options;
    const input = estimateInput(request);
    const most = request.maxOutputTokens ?? model.facts.maxOutputTokens ?? usualOutput;
    const usage = { ...noUsage, input, output: Math.min(most, usualOutput) };
    const { worker } = claim;
    return { run: run.id, fleet: run.fleet, worker, lane: model.provider, ...used(usage, model) };
  }
}

function used(usage: TokenUsage, { facts }: Model): { readonly tokens: number; readonly cost: number } {
  return { tokens: usage.input + usage.output, cost: costOf(usage, facts.prices) ?? 0 };
}

const noUsage: TokenUsage = { input: 0, cached: 0, cacheWritten: 0, output: 0, reasoning: 0 };

/** Few replies are longer: an estimate by the longest possible reply would block lanes for nothing. */
const usualOutput = 4_000;
const aliveMs = 30_000;
const mostPauseMs = 60_000;
/** A provider that asks for more is asked again: one wrong answer must not stop all runs for days. */
const longestPauseMs = 3_600_000;

const refusals = {
  budget: "The budget of the fleet is used up.",
  cancelled: "The run was cancelled, or another worker has it.",
};

const pausing: ReadonlySet<string> = new Set(["rate-limit", "server", "network", "quota"]);
