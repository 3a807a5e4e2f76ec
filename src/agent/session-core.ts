import type { ToolDefinition } from "../dialects/definition.ts";
import { unlessAborted } from "../lib/async/abort.ts";
import type { Model, ReasoningEffort, TokenUsage } from "../models/model.ts";
import { mostOfRequest } from "../models/model-facts.ts";
import { AnsweredElsewhere, type Approval, type Approve } from "../toolcrib/index.ts";
import { Conversation } from "./conversation.ts";
import type { AgentEvent, AgentEventBody, ContextUse } from "./event.ts";
import { limitReached } from "./limits.ts";
import { LoopWatch } from "./loops.ts";
import { CostTurns } from "./round/cost-turns.ts";
import type { SessionParts } from "./session-parts.ts";
import { Spending } from "./spending.ts";

/** The working state of a session: what its turns, rounds and subagents share. */
export class SessionCore {
  readonly parts: SessionParts;
  readonly conversation: Conversation;
  readonly spending: Spending = new Spending();
  readonly loops: LoopWatch = new LoopWatch();
  readonly toolsByName: ReadonlyMap<string, ToolDefinition>;
  /** Messages of the user that the model has not seen. The round that sends one removes it. */
  readonly steering: string[] = [];
  /** The notice about plan mode that the next request contains. */
  planNotice: string | undefined;
  /** Callers that asked for compaction and wait for its result. */
  readonly compactionRequests: ((isShorter: boolean) => void)[] = [];
  /** Whether the running turn ends after its round and stays open. */
  isSuspended = false;
  readonly relay: (event: AgentEvent) => void;
  /** Shared with all subagents. */
  readonly costTurns: CostTurns;
  readonly #onWaiting: () => void;
  /** Only `change` sets the model and the reasoning. */
  model: Model;
  reasoning: ReasoningEffort | undefined;
  /** Says that the cost of the open request is counted. */
  #leaveRequest: () => void = () => {};
  #number = 0;
  #waiting = 0;
  #isNearlyFull = false;

  /** `onWaiting` is called when an approval begins and when it ends. */
  constructor(parts: SessionParts, relay: (event: AgentEvent) => void, onWaiting: () => void) {
    const { model, reasoning, resumed, recorder, meter, tools, deferred = [] } = parts;
    this.parts = parts;
    this.relay = relay;
    this.#onWaiting = onWaiting;
    this.conversation = new Conversation(recorder, meter, resumed);
    this.toolsByName = new Map([...deferred, ...tools].map((tool) => [tool.name, tool]));
    this.costTurns =
      parts.parent?.costTurns ?? new CostTurns(parts.limits.cost, () => this.spending.knownCost);
    this.model = model;
    this.reasoning = reasoning;
    if (parts.crib.isPlanning) this.planNotice = planNotice(parts);
    else if (resumed?.isPlanning) this.planNotice = planEnded;
    for (const [id, usage] of resumed?.usage ?? []) this.spending.addSum(usage, parts.pricesOf(id), id);
  }

  get isWaiting(): boolean {
    return this.#waiting > 0;
  }

  get limitReached(): "tokens" | "cost" | undefined {
    const limit = limitReached(this, 0);
    return limit === "tokens" || limit === "cost" ? limit : undefined;
  }

  /** Numbers the parts and rounds of the session. */
  nextNumber = (): number => ++this.#number;

  emit = (happening: AgentEventBody): void => {
    this.relay({ session: this.parts.id, at: Date.now(), ...happening });
  };

  /** Takes effect with the next round. */
  change(model: Model | undefined, reasoning: ReasoningEffort | undefined): void {
    if (model) {
      this.model = model;
      this.parts.meter.useModel(model);
    }
    if (reasoning) this.reasoning = reasoning;
    this.parts.recorder.add({ kind: "change", model: model?.id, reasoning });
    this.emit({ type: "model", model: this.model.id, reasoning: this.reasoning ?? null });
  }

  setPlanning(isPlanning: boolean): void {
    const { crib, recorder } = this.parts;
    if (crib.isPlanning === isPlanning) return;
    crib.setPlanning(isPlanning);
    recorder.add({ kind: "change", isPlanning });
    // A change that the model has not seen and that was reverted needs no notice.
    const isReverted = this.planNotice !== undefined;
    this.planNotice = isReverted ? undefined : isPlanning ? planNotice(this.parts) : planEnded;
  }

  /** Waits until a request to the model may begin. Its turn ends with `spend` or `endRequest`. */
  async beginRequest(signal: AbortSignal): Promise<void> {
    this.endRequest();
    this.#leaveRequest = await this.costTurns.enter(mostOfRequest(this.model.facts), signal);
  }

  /** Ends a request that cost nothing. */
  endRequest(): void {
    this.#leaveRequest();
    this.#leaveRequest = () => {};
  }

  /** Counts and reports usage. Usage that no reply in the conversation accounts for is recorded on its own. */
  spend(model: Model, usage: TokenUsage, { isOfReply = false }: { readonly isOfReply?: boolean } = {}): void {
    const { spending, conversation, parts } = this;
    spending.add(usage, model.facts, model.id);
    parts.parent?.spentBelow(model, usage);
    this.endRequest();
    if (!isOfReply) parts.recorder.add({ kind: "spent", model: model.id, usage });
    const { context } = conversation;
    this.emit({ type: "usage", usage, total: spending.usage, cost: spending.cost, context });
    const { isNearlyFull } = parts.meter;
    if (isNearlyFull && !this.#isNearlyFull) this.emit({ type: "warning", message: nearlyFull(context) });
    this.#isNearlyFull = isNearlyFull;
  }

  /** Counts what a subagent used, which its own event reports. */
  spentBelow(model: Model, usage: TokenUsage): void {
    this.spending.add(usage, model.facts, model.id);
    this.parts.recorder.add({ kind: "spent", model: model.id, usage });
    this.parts.parent?.spentBelow(model, usage);
  }

  /** Asks the user on behalf of a subagent; the session waits meanwhile. */
  get ask(): Approve | undefined {
    const { approve } = this.parts;
    return approve && ((...asked) => this.#whileWaiting(() => askWith(approve, ...asked)));
  }

  approverFor = (id: string): Approve | undefined => {
    const { approve } = this.parts;
    if (approve === undefined) return undefined;
    const askAndEmit = async (...asked: Parameters<Approve>) => {
      this.emit({ type: "approval", id, request: asked[0] });
      let allowed = false;
      try {
        const answer = await askWith(approve, ...asked);
        allowed = answer.allow;
        return answer;
      } finally {
        this.emit({ type: "approval-end", id, allowed });
      }
    };
    return (...asked) => this.#whileWaiting(() => askAndEmit(...asked));
  };

  async #whileWaiting<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    this.#waiting += 1;
    this.#onWaiting();
    try {
      return await ask();
    } finally {
      this.#waiting -= 1;
      this.#onWaiting();
    }
  }
}

const canOnlyRead = "Plan mode is on: you can read and search, and calls that change anything are denied.";

function planNotice({ parent }: SessionParts): string {
  if (parent) return `[${canOnlyRead}]`;
  return `[${canOnlyRead} Find out what you need, then reply with a plan: the steps, the files to change, and how to check the result. The user accepts the plan or asks for changes.]`;
}

const planEnded = "[Plan mode is off: you can change files again.]";

async function askWith(approve: Approve, ...asked: Parameters<Approve>): Promise<Approval> {
  const [, signal] = asked;
  const answer = await unlessAborted(Promise.resolve(approve(...asked)), signal);
  const { reason } = signal;
  return answer ?? (reason instanceof AnsweredElsewhere ? reason.approval : { allow: false });
}

function nearlyFull({ tokens, window }: ContextUse): string {
  const share = Math.floor((tokens / (window ?? tokens)) * 100);
  return `The conversation uses ${share}% of the context window; it will be compacted when the window is full.`;
}
