import { ToolError } from "../contract/error.ts";
import { Listeners } from "../lib/listeners.ts";
import type { Message, UserMessage } from "../models/message.ts";
import type { Model, ReasoningEffort, Usage } from "../models/model.ts";
import type { Toolcrib } from "../toolcrib/index.ts";
import { compactIfNeeded } from "./context/compaction.ts";
import { userMessage } from "./conversation.ts";
import type { AgentEvent, ContextUse, Protocol, SessionState, TurnResult } from "./event.ts";
import { LiveTurn } from "./live-turn.ts";
import type { UserSource } from "./records/session-entry.ts";
import { runTurn } from "./run-turn.ts";
import type { Session, Turn } from "./session.ts";
import { SessionCore } from "./session-core.ts";
import type { SessionParts } from "./session-parts.ts";

/** A session of parts that are open: a person's, or a subagent's. */
export class LiveSession implements Session {
  readonly core: SessionCore;
  readonly #parts: SessionParts;
  readonly #feed = new Listeners<AgentEvent>();
  readonly #followUps: string[] = [];
  #turns: number;
  #told: SessionState = "idle";
  #hasStarted = false;
  #going: Going | undefined;
  #closed: Promise<void> | undefined;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.#turns = parts.resumed?.turns ?? 0;
    const relay = (event: AgentEvent) => {
      this.#going?.turn?.push(event);
      this.#feed.emit(event);
    };
    this.core = new SessionCore(parts, relay, () => this.#tellState());
  }

  get id(): string {
    return this.#parts.id;
  }

  get state(): SessionState {
    if (this.#closed) return "closed";
    if (this.core.isWaiting) return "awaiting";
    return this.#going ? "processing" : "idle";
  }

  get model(): Model {
    return this.core.model;
  }

  get reasoning(): ReasoningEffort | undefined {
    return this.core.reasoning;
  }

  get dialect(): string {
    return this.#parts.dialect;
  }

  get protocol(): Protocol {
    return this.#parts.protocol;
  }

  get system(): string {
    return this.#parts.system;
  }

  get messages(): readonly Message[] {
    return this.core.conversation.messages;
  }

  get turns(): number {
    return this.#turns;
  }

  get usage(): Usage {
    return this.core.spending.usage;
  }

  get cost(): number | null {
    return this.core.spending.cost;
  }

  get context(): ContextUse {
    return this.core.conversation.context;
  }

  get crib(): Toolcrib {
    return this.#parts.crib;
  }

  run(input: string | UserMessage["content"], options: { readonly isPinned?: boolean } = {}): Turn {
    const { isPinned = false } = options;
    const message: UserMessage =
      typeof input === "string" ? userMessage(input) : { role: "user", content: input };
    checkInput(message);
    this.#checkFree();
    return this.#begin({ message, source: "input", isPinned });
  }

  steer(text: string): void {
    this.#tell(text, this.core.steering);
  }

  followUp(text: string): void {
    this.#tell(text, this.#followUps);
  }

  async abort(): Promise<void> {
    const going = this.#going;
    going?.stop.abort(new ToolError("cancelled", "The person stopped the turn"));
    await Promise.all([this.#parts.agents?.closeAll(), going?.ended]);
  }

  async use(change: {
    readonly model?: string | Model;
    readonly reasoning?: ReasoningEffort;
  }): Promise<void> {
    this.#checkOpen();
    const model = change.model === undefined ? undefined : await this.#parts.openModel(change.model);
    // It may have been closed meanwhile.
    this.#checkOpen();
    if (model || change.reasoning) this.core.change(model, change.reasoning);
  }

  async compact(): Promise<boolean> {
    this.#checkOpen();
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.core.compactionRequests.push(resolve);
    if (!this.#going) this.#start(undefined, (signal) => compactIfNeeded(this.core, signal));
    return promise;
  }

  on(listener: (event: AgentEvent) => void): () => void {
    return this.#feed.on(listener);
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  /** For the turn that goes on; begins one where there is none. */
  #tell(text: string, waiting: string[]): void {
    checkInput(userMessage(text));
    this.#checkOpen();
    if (this.#going?.turn) waiting.push(text);
    else if (this.#going) this.#followUps.push(text);
    else this.run(text);
  }

  #begin(input: Input): LiveTurn {
    const turn: LiveTurn = new LiveTurn(async () => {
      if (this.#going?.turn === turn) await this.abort();
    });
    this.#start(turn, (signal) => this.#play(turn, input, signal));
    return turn;
  }

  #start(turn: LiveTurn | undefined, work: (signal: AbortSignal) => Promise<void>): void {
    const stop = new AbortController();
    const goThrough = async () => {
      // Whoever began it can listen before anything happens.
      await Promise.resolve();
      if (!this.#hasStarted) this.#tellStart();
      this.#tellState();
      try {
        await work(stop.signal);
      } catch (error) {
        if (!stop.signal.aborted) this.core.emit({ type: "warning", message: String(error) });
      } finally {
        // Who stops it wants nothing of it to go on.
        if (stop.signal.aborted && this.#going === going) this.#dropUntold();
        if (this.#going === going) this.#going = undefined;
        if (!this.#going) for (const tell of this.core.compactionRequests.splice(0)) tell(false);
        this.#tellState();
        turn?.end();
        this.#goOn();
      }
    };
    const going: Going = { turn, stop, ended: Promise.resolve() };
    this.#going = going;
    going.ended = goThrough();
  }

  /** With what was said while room was made, or by somebody who heard how a turn ended. */
  #goOn(): void {
    const input = this.#closed || this.#going ? undefined : this.#nextInput();
    if (input) this.#begin(input);
  }

  /** The turn, and those that follow it up. */
  async #play(turn: LiveTurn, first: Input, signal: AbortSignal): Promise<void> {
    let input: Input | undefined = first;
    while (input) {
      const result = await this.#playOne(input, signal);
      input = result.outcome === "completed" ? this.#nextInput() : undefined;
      if (input === undefined) this.#dropUntold();
      const event: AgentEvent = { session: this.id, at: Date.now(), type: "turn-end", ...result };
      turn.push(event);
      // Whoever hears of the end can begin the next.
      if (input === undefined) this.#going = undefined;
      this.#feed.emit(event);
      this.#tellState();
      turn.settle(result);
    }
  }

  async #playOne({ message, source, isPinned }: Input, signal: AbortSignal): Promise<TurnResult> {
    const { core } = this;
    this.#turns += 1;
    const turn = this.#turns;
    core.emit({ type: "turn-start", turn });
    core.emit({ type: "user-input", text: shown(message) });
    const isFirst = core.conversation.pinned.size === 0;
    const result = await runTurn(core, { turn, message, source, isPinned: isPinned || isFirst }, signal);
    this.#parts.recorder.add({ kind: "turn-end", result });
    return result;
  }

  /** What was said too late to be told in the turn is the next to be asked. */
  #nextInput(): Input | undefined {
    const text = this.core.steering.shift() ?? this.#followUps.shift();
    return text === undefined
      ? undefined
      : { message: userMessage(text), source: "follow-up", isPinned: false };
  }

  #tellStart(): void {
    this.#hasStarted = true;
    const { model, dialect, crib, protocol, resumed, opening } = this.#parts;
    const { workspace } = crib;
    const isResumed = resumed !== undefined;
    this.core.emit({ type: "session-start", model: model.id, dialect, workspace, protocol, isResumed });
    if (opening === undefined) return;
    this.core.conversation.say(userMessage(opening), { turn: this.#turns + 1, source: "notice" });
  }

  /** What the person said and the model will not hear. */
  #dropUntold(): void {
    for (const text of [...this.core.steering.splice(0), ...this.#followUps.splice(0)]) {
      this.core.emit({ type: "warning", message: `The turn ended before the model was told: ${text}` });
    }
  }

  #tellState(): void {
    if (this.state === this.#told || this.#closed) return;
    this.#told = this.state;
    this.core.emit({ type: "state", state: this.#told });
  }

  #checkOpen(): void {
    if (!this.#closed) return;
    throw new ToolError("unavailable", "This session is closed", { hint: "Create a new one." });
  }

  #checkFree(): void {
    this.#checkOpen();
    if (this.#going === undefined) return;
    throw new ToolError("unavailable", "This session is at work", {
      hint: "Use steer() to tell the model something now, followUp() to ask when it has ended, or abort() to end it.",
    });
  }

  async #close(): Promise<void> {
    // Nothing happens before the state says that it is closed.
    await Promise.resolve();
    await this.abort();
    this.core.emit({ type: "state", state: "closed" });
    if (this.#hasStarted) this.core.emit({ type: "session-end" });
    await this.#parts.release();
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
  if (!isEmpty) return;
  throw new ToolError("invalid-input", "There is nothing in the input", { hint: "Say what to do." });
}

function shown({ content }: UserMessage): string {
  return content.map((part) => (part.type === "text" ? part.text : `[${part.mediaType}]`)).join("\n");
}
