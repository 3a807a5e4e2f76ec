import { ToolError } from "../contract/error.ts";
import type { ToolDefinition } from "../dialects/definition.ts";
import type { Message, UserMessage } from "../models/message.ts";
import type { Model, ReasoningEffort, Usage } from "../models/model.ts";
import type { Approve, Toolcrib } from "../toolcrib.ts";
import { Conversation, userMessage } from "./conversation.ts";
import type { AgentEvent, AgentHappening, ContextUse, Protocol, SessionState, TurnResult } from "./event.ts";
import { EventFeed } from "./event-feed.ts";
import { LiveTurn } from "./live-turn.ts";
import { LoopWatch } from "./loops/loop-watch.ts";
import type { AgentsParent, SessionParts } from "./parts.ts";
import { untilStopped } from "./round/until-stopped.ts";
import { runTurn } from "./run-turn.ts";
import type { Session, Turn } from "./session.ts";
import type { UserSource } from "./session-entry.ts";
import { makeRoom } from "./shorten.ts";
import { Spending } from "./spending.ts";
import { limitReached } from "./turn-endings.ts";
import type { Works } from "./works.ts";

/** A session of parts that are open: of a person, or of a subagent. */
export class LiveSession implements Session, Works, AgentsParent {
  readonly parts: SessionParts;
  readonly conversation: Conversation;
  readonly spending: Spending = new Spending();
  readonly loops: LoopWatch = new LoopWatch();
  readonly toolsByName: ReadonlyMap<string, ToolDefinition>;
  readonly steering: string[] = [];
  readonly wantShorter: ((isShorter: boolean) => void)[] = [];
  readonly #feed = new EventFeed();
  readonly #followUps: string[] = [];
  #model: Model;
  #reasoning: ReasoningEffort | undefined;
  #turns: number;
  #number = 0;
  /** How many calls wait for a person. */
  #asked = 0;
  #told: SessionState = "idle";
  #hasStarted = false;
  #isNearlyFull = false;
  #going: Going | undefined;
  #closed: Promise<void> | undefined;

  constructor(parts: SessionParts) {
    const { model, reasoning, past, recorder, meter, tools } = parts;
    this.parts = parts;
    this.conversation = new Conversation(recorder, meter, past);
    this.toolsByName = new Map(tools.map((tool) => [tool.name, tool]));
    this.#model = model;
    this.#reasoning = reasoning;
    this.#turns = past?.turns ?? 0;
    for (const [id, usage] of past?.usage ?? []) this.spending.addSum(usage, parts.pricesOf(id));
  }

  get id(): string {
    return this.parts.id;
  }

  get state(): SessionState {
    if (this.#closed) return "closed";
    if (this.#asked > 0) return "awaiting";
    return this.#going ? "processing" : "idle";
  }

  get model(): Model {
    return this.#model;
  }

  get reasoning(): ReasoningEffort | undefined {
    return this.#reasoning;
  }

  get dialect(): string {
    return this.parts.dialect;
  }

  get protocol(): Protocol {
    return this.parts.protocol;
  }

  get system(): string {
    return this.parts.system;
  }

  get messages(): readonly Message[] {
    return this.conversation.messages;
  }

  get turns(): number {
    return this.#turns;
  }

  get usage(): Usage {
    return this.spending.usage;
  }

  get cost(): number | null {
    return this.spending.cost;
  }

  get context(): ContextUse {
    return this.conversation.context;
  }

  get crib(): Toolcrib {
    return this.parts.crib;
  }

  run(
    input: string | UserMessage["content"],
    { isPinned = false }: { readonly isPinned?: boolean } = {},
  ): Turn {
    const message =
      typeof input === "string" ? userMessage(input) : ({ role: "user", content: input } as const);
    checkInput(message);
    this.#checkFree();
    return this.#begin({ message, source: "input", isPinned });
  }

  steer(text: string): void {
    checkInput(userMessage(text));
    this.#checkOpen();
    if (this.#going?.turn) this.steering.push(text);
    else this.run(text);
  }

  followUp(text: string): void {
    checkInput(userMessage(text));
    this.#checkOpen();
    if (this.#going?.turn) this.#followUps.push(text);
    else this.run(text);
  }

  async abort(): Promise<void> {
    const going = this.#going;
    if (going === undefined) return;
    going.stop.abort(new ToolError("cancelled", "The person stopped the turn"));
    await Promise.all([this.parts.agents?.closeAll(), going.ended]);
  }

  async use(change: {
    readonly model?: string | Model;
    readonly reasoning?: ReasoningEffort;
  }): Promise<void> {
    this.#checkOpen();
    const { reasoning } = change;
    const model = change.model === undefined ? undefined : await this.parts.openModel(change.model);
    if (model) {
      this.#model = model;
      this.parts.meter.useModel(model);
    }
    if (reasoning) this.#reasoning = reasoning;
    if (!model && !reasoning) return;
    this.parts.recorder.add({
      kind: "change",
      ...(model && { model: model.id }),
      ...(reasoning && { reasoning }),
    });
    this.emit({ type: "model", model: this.#model.id, reasoning: this.#reasoning ?? null });
  }

  async compact(): Promise<boolean> {
    this.#checkOpen();
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.wantShorter.push(resolve);
    if (!this.#going) this.#start(undefined, (signal) => makeRoom(this, signal));
    return promise;
  }

  on(listener: (event: AgentEvent) => void): () => void {
    return this.#feed.on(listener);
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  // What its turns and its subagents see of it.

  nextNumber = (): number => {
    this.#number += 1;
    return this.#number;
  };

  emit = (happening: AgentHappening): void => {
    this.relay({ session: this.id, at: Date.now(), ...happening });
  };

  relay = (event: AgentEvent): void => {
    this.#going?.turn?.push(event);
    this.#feed.emit(event);
  };

  spend = (model: Model, usage: Usage, { isOfReply = false } = {}): void => {
    this.spending.add(usage, model.facts);
    if (!isOfReply) this.parts.recorder.add({ kind: "spent", model: model.id, usage });
    const { context } = this;
    this.emit({ type: "usage", usage, total: this.usage, cost: this.cost, context });
    const { isNearlyFull } = this.parts.meter;
    if (isNearlyFull && !this.#isNearlyFull) {
      this.emit({ type: "warning", message: nearlyFull(context) });
    }
    this.#isNearlyFull = isNearlyFull;
  };

  get limitReached(): "tokens" | "cost" | undefined {
    const limit = limitReached(this, 0);
    return limit === "tokens" || limit === "cost" ? limit : undefined;
  }

  approverFor = (id: string): Approve | undefined => {
    const { approve } = this.parts;
    if (approve === undefined) return undefined;
    return async (request, signal) => {
      this.#asked += 1;
      this.#tellState();
      this.emit({ type: "approval", id, request });
      let allowed = false;
      try {
        const answer = await untilStopped(Promise.resolve(approve(request, signal)), signal);
        allowed = answer?.allow ?? false;
        return answer ?? { allow: false };
      } finally {
        this.#asked -= 1;
        this.emit({ type: "approval-end", id, allowed });
        this.#tellState();
      }
    };
  };

  #begin(input: Input): LiveTurn {
    const turn: LiveTurn = new LiveTurn(async () => {
      if (this.#going?.turn === turn) await this.abort();
    });
    this.#start(turn, (signal) => this.#play(turn, input, signal));
    return turn;
  }

  #start(turn: LiveTurn | undefined, work: (signal: AbortSignal) => Promise<void>): void {
    const stop = new AbortController();
    const end = async () => {
      // Whoever began it can listen before anything happens.
      await Promise.resolve();
      this.#tellState();
      try {
        await work(stop.signal);
      } finally {
        if (this.#going === going) this.#going = undefined;
        for (const tell of this.wantShorter.splice(0)) tell(false);
        this.#tellState();
        turn?.end();
      }
    };
    const going: Going = { turn, stop, ended: Promise.resolve() };
    this.#going = going;
    going.ended = end().catch((error: unknown) => {
      if (!stop.signal.aborted) this.emit({ type: "warning", message: String(error) });
    });
  }

  /** The turn, and those that follow it up. */
  async #play(turn: LiveTurn, first: Input, signal: AbortSignal): Promise<void> {
    if (!this.#hasStarted) this.#tellStart();
    let input: Input | undefined = first;
    while (input) {
      const result = await this.#playOne(input, signal);
      const next = result.outcome === "completed" ? this.#followUps.shift() : undefined;
      input =
        next === undefined ? undefined : { message: userMessage(next), source: "follow-up", isPinned: false };
      if (input === undefined) this.#dropUntold();
      const event: AgentEvent = { session: this.id, at: Date.now(), type: "turn-end", ...result };
      turn.push(event);
      // Whoever hears of the end can begin the next.
      if (input === undefined) this.#going = undefined;
      this.#feed.emit(event);
      turn.settle(result);
    }
  }

  async #playOne({ message, source, isPinned }: Input, signal: AbortSignal): Promise<TurnResult> {
    this.#turns += 1;
    const turn = this.#turns;
    this.emit({ type: "turn-start", turn });
    this.emit({ type: "user-input", text: shown(message) });
    const result = await runTurn(this, { turn, message, source, isPinned: isPinned || turn === 1 }, signal);
    this.parts.recorder.add({ kind: "turn-end", result });
    return result;
  }

  #tellStart(): void {
    this.#hasStarted = true;
    const { model, dialect, crib, protocol, past, opening } = this.parts;
    const { workspace } = crib;
    const isResumed = past !== undefined;
    this.emit({ type: "session-start", model: model.id, dialect, workspace, protocol, isResumed });
    if (opening === undefined) return;
    this.conversation.say(userMessage(opening), { turn: this.#turns + 1, source: "notice" });
  }

  /** What the person said and the model will not hear. */
  #dropUntold(): void {
    for (const text of [...this.steering.splice(0), ...this.#followUps.splice(0)]) {
      const message = `The turn ended before the model was told: ${text}`;
      this.emit({ type: "warning", message });
    }
  }

  #tellState(): void {
    if (this.state === this.#told || this.#closed) return;
    this.#told = this.state;
    this.emit({ type: "state", state: this.#told });
  }

  #checkOpen(): void {
    if (this.#closed)
      throw new ToolError("unavailable", "This session is closed", { hint: "Create a new one." });
  }

  #checkFree(): void {
    this.#checkOpen();
    if (this.#going === undefined) return;
    throw new ToolError("unavailable", "A turn of this session goes on", {
      hint: "Use steer() to tell the model something now, followUp() to ask when it has ended, or abort() to end it.",
    });
  }

  async #close(): Promise<void> {
    // Not at once: `close` has to be known as the state first.
    await Promise.resolve();
    this.#followUps.length = 0;
    await this.abort();
    await this.parts.agents?.closeAll();
    this.emit({ type: "session-end" });
    this.emit({ type: "state", state: "closed" });
    await this.parts.release();
  }
}

interface Input {
  readonly message: UserMessage;
  readonly source: UserSource;
  readonly isPinned: boolean;
}

/** What a session is at: a turn, or making room. */
interface Going {
  readonly turn: LiveTurn | undefined;
  readonly stop: AbortController;
  ended: Promise<void>;
}

function checkInput({ content }: UserMessage): void {
  const isEmpty = content.every((part) => part.type === "text" && part.text.trim() === "");
  if (isEmpty)
    throw new ToolError("invalid-input", "There is nothing in the input", { hint: "Say what to do." });
}

function shown({ content }: UserMessage): string {
  return content.map((part) => (part.type === "text" ? part.text : `[${part.mediaType}]`)).join("\n");
}

function nearlyFull({ tokens, window }: ContextUse): string {
  const share = Math.floor((tokens / (window ?? tokens)) * 100);
  return `The conversation fills ${share} % of what the model reads; it will be summed up when it is full.`;
}
