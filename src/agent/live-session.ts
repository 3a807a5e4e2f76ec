import { ToolError } from "../contract/error.ts";
import { unlessAborted } from "../lib/async/abort.ts";
import { Listeners } from "../lib/async/listeners.ts";
import type { Message, UserMessage } from "../models/message.ts";
import type { Model, ReasoningEffort, TokenUsage } from "../models/model.ts";
import type { Toolcrib } from "../toolcrib/index.ts";
import { AnswerSchema } from "./answer-schema.ts";
import { shortenIfNeeded } from "./context/compaction.ts";
import { type ContextPart, splitContext } from "./context/context-parts.ts";
import { userMessage } from "./conversation.ts";
import type { AgentEvent, ContextUse, SessionState, ToolProtocol, TurnResult } from "./event.ts";
import { LiveTurn } from "./live-turn.ts";
import { runTurn, type TurnInput } from "./run-turn.ts";
import type { AgentNode, RunOptions, Session, Turn } from "./session.ts";
import { SessionCore } from "./session-core.ts";
import type { OpenTurn, SessionParts } from "./session-parts.ts";
import type { Skills } from "./skills.ts";

export class LiveSession implements Session {
  readonly id: string;
  readonly toolcrib: Toolcrib;
  readonly dialect: string;
  readonly protocol: ToolProtocol;
  readonly system: string;
  readonly core: SessionCore;
  readonly #parts: SessionParts;
  readonly #listeners = new Listeners<AgentEvent>();
  readonly #followUps: string[] = [];
  #turns: number;
  /** The last turn, when it can continue. */
  #open: OpenTurn | undefined;
  #lastState: SessionState = "idle";
  #hasStarted = false;
  #running: Running | undefined;
  #closed: Promise<void> | undefined;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.id = parts.id;
    this.toolcrib = parts.crib;
    this.dialect = parts.dialect;
    this.protocol = parts.protocol;
    this.system = parts.system;
    this.#turns = parts.resumed?.turns ?? 0;
    this.#open = parts.resumed?.openTurn;
    const relay = (event: AgentEvent) => {
      this.#running?.turn?.push(event);
      this.#listeners.emit(event);
    };
    this.core = new SessionCore(parts, relay, () => this.#emitState());
  }

  get state(): SessionState {
    if (this.#closed) return "closed";
    if (this.core.isWaiting) return "awaiting";
    return this.#running ? "processing" : "idle";
  }

  get model(): Model {
    return this.core.model;
  }

  get reasoning(): ReasoningEffort | undefined {
    return this.core.reasoning;
  }

  get messages(): readonly Message[] {
    return this.core.conversation.messages;
  }

  get turns(): number {
    return this.#turns;
  }

  get usage(): TokenUsage {
    return this.core.spending.usage;
  }

  get cost(): number | null {
    return this.core.spending.cost;
  }

  get isPlanning(): boolean {
    return this.toolcrib.isPlanning;
  }

  get skills(): Skills {
    return this.core.parts.skills;
  }

  get context(): ContextUse {
    return this.core.conversation.context;
  }

  get contextParts(): readonly ContextPart[] {
    const { system, messages } = this;
    return splitContext({ system, messages, tools: this.#parts.tools }, this.context);
  }

  get usageByModel(): Session["usageByModel"] {
    return this.core.spending.byModel;
  }

  get agents(): readonly AgentNode[] {
    return this.#parts.agents?.list() ?? [];
  }

  run(
    input: string | UserMessage["content"],
    options: RunOptions = {},
  ): Turn<TurnResult & { readonly output: never }> {
    const message: UserMessage =
      typeof input === "string" ? userMessage(input) : { role: "user", content: input };
    checkInput(message);
    this.#checkFree();
    const { isPinned = false, output, signal } = options;
    const answer = output && new AnswerSchema(output);
    return this.#begin({ message, source: "input", isPinned, answer }, signal) as never;
  }

  continue({ signal }: Pick<RunOptions, "signal"> = {}): Turn {
    this.#checkFree();
    const before = this.#open;
    if (before === undefined)
      throw new ToolError("unavailable", "The last turn has ended: there is nothing to continue", {
        hint: "Call run() to start a turn.",
      });
    return this.#begin({ message: undefined, before, source: "input", isPinned: false }, signal);
  }

  steer(text: string): void {
    this.#queue(text, this.core.steering);
  }

  followUp(text: string): void {
    this.#queue(text, this.#followUps);
  }

  async abort(): Promise<void> {
    const running = this.#running;
    running?.stop.abort(new ToolError("cancelled", "The user interrupted the turn"));
    await Promise.all([this.#parts.agents?.closeAll(), running?.ended]);
  }

  async use({ model: wanted, reasoning }: Parameters<Session["use"]>[0]): Promise<void> {
    this.#checkOpen();
    const model = wanted === undefined ? undefined : await this.#parts.openModel(wanted);
    // The session may have been closed meanwhile.
    this.#checkOpen();
    if (model || reasoning) this.core.change(model, reasoning);
  }

  setPlanning(isPlanning: boolean): void {
    this.#checkOpen();
    this.core.setPlanning(isPlanning);
  }

  async compact(): Promise<boolean> {
    this.#checkOpen();
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.core.compactionRequests.push(resolve);
    if (!this.#running) this.#start(undefined, (signal) => shortenIfNeeded(this.core, signal));
    return promise;
  }

  on(listener: (event: AgentEvent) => void): () => void {
    return this.#listeners.on(listener);
  }

  async suspend(signal?: AbortSignal): Promise<void> {
    this.core.isSuspended = true;
    const stop = () => {
      // The records end here, as after a kill: what was begun is answered from the journal when the session is resumed.
      this.#parts.recorder.stop();
      void this.abort();
    };
    if (signal?.aborted) stop();
    signal?.addEventListener("abort", stop);
    await this.#running?.ended;
    signal?.removeEventListener("abort", stop);
    await this.close();
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #queue(text: string, waiting: string[]): void {
    checkInput(userMessage(text));
    this.#checkOpen();
    if (this.#running?.turn) waiting.push(text);
    else if (this.#running) this.#followUps.push(text);
    else this.run(text);
  }

  #begin(input: Input, signal?: AbortSignal): LiveTurn {
    const leave = async () => {
      if (this.#running?.turn === turn) await this.abort();
    };
    const turn: LiveTurn = new LiveTurn(leave);
    const stop = () => void leave();
    signal?.addEventListener("abort", stop);
    const work = async (aborted: AbortSignal) => {
      try {
        await this.#runAll(turn, input, aborted);
      } finally {
        signal?.removeEventListener("abort", stop);
      }
    };
    this.#start(turn, work, input.message === undefined);
    if (signal?.aborted) stop();
    return turn;
  }

  #start(
    turn: LiveTurn | undefined,
    work: (signal: AbortSignal) => Promise<void>,
    isContinued = false,
  ): void {
    const stop = new AbortController();
    const run = async () => {
      // The caller can add listeners before anything happens.
      await Promise.resolve();
      if (!this.#hasStarted) this.#emitStart(isContinued);
      this.#emitState();
      try {
        await work(stop.signal);
      } catch (error) {
        if (!stop.signal.aborted) this.core.emit({ type: "warning", message: String(error) });
      } finally {
        // After an abort nothing of the turn may continue.
        if (stop.signal.aborted && this.#running === running) this.#dropUnsent();
        if (this.#running === running) this.#running = undefined;
        if (!this.#running) for (const settle of this.core.compactionRequests.splice(0)) settle(false);
        this.#emitState();
        turn?.end();
        this.#startNext();
      }
    };
    const running: Running = { turn, stop, ended: Promise.resolve() };
    this.#running = running;
    running.ended = run();
  }

  /** Starts a turn with a message that arrived during a compaction, or from a listener at the end of a turn. */
  #startNext(): void {
    const input = this.#closed || this.#running ? undefined : this.#nextInput();
    if (input) this.#begin(input);
  }

  async #runAll(turn: LiveTurn, first: Input, signal: AbortSignal): Promise<void> {
    let input: Input | undefined = first;
    while (input) {
      const result = await this.#runOne(input, signal);
      input = result.outcome === "completed" ? this.#nextInput() : undefined;
      if (input === undefined) this.#dropUnsent();
      const event: AgentEvent = { session: this.id, at: Date.now(), type: "turn-end", ...result };
      turn.push(event);
      // A listener may start the next turn.
      if (input === undefined) this.#running = undefined;
      this.#listeners.emit(event);
      this.#emitState();
      turn.settle(result);
    }
  }

  async #runOne(input: Input, signal: AbortSignal): Promise<TurnResult> {
    const { message, isPinned } = input;
    const { core } = this;
    this.#turns += message ? 1 : 0;
    const turn = this.#turns;
    core.emit({ type: "turn-start", turn });
    if (message) core.emit({ type: "user-input", text: shown(message) });
    const isFirst = core.conversation.pinned.size === 0;
    const result = await runTurn(core, { ...input, turn, isPinned: isPinned || isFirst }, signal);
    const canContinue = result.outcome === "failed" && this.messages.at(-1)?.role !== "assistant";
    this.#open = canContinue ? { rounds: result.rounds, calls: result.calls, wasCut: false } : undefined;
    const isSuspended = core.isSuspended && result.outcome === "aborted";
    if (!isSuspended) this.#parts.recorder.add({ kind: "turn-end", result });
    // A store that hangs cannot keep an aborted turn from ending.
    await unlessAborted(this.#parts.recorder.flush(), signal);
    return result;
  }

  /** Steering that arrives after the turn becomes the next input. */
  #nextInput(): Input | undefined {
    const text = this.core.steering.shift() ?? this.#followUps.shift();
    return text ? { message: userMessage(text), source: "follow-up", isPinned: false } : undefined;
  }

  #emitStart(isContinued: boolean): void {
    this.#hasStarted = true;
    const { dialect, protocol } = this;
    const { model, crib, resumed, opening } = this.#parts;
    const { workspace } = crib;
    const isResumed = resumed !== undefined;
    this.core.emit({ type: "session-start", model: model.id, dialect, workspace, protocol, isResumed });
    const notice = opening?.(isContinued);
    if (notice === undefined) return;
    const turn = isContinued ? this.#turns : this.#turns + 1;
    this.core.conversation.addUser(userMessage(notice), { turn, source: "notice" });
  }

  /** Warns about messages of the user that the model will not see. */
  #dropUnsent(): void {
    for (const text of [...this.core.steering.splice(0), ...this.#followUps.splice(0)]) {
      this.core.emit({ type: "warning", message: `The turn ended before this message was sent: ${text}` });
    }
  }

  #emitState(): void {
    if (this.state === this.#lastState || this.#closed) return;
    this.#lastState = this.state;
    this.core.emit({ type: "state", state: this.#lastState });
  }

  #checkOpen(): void {
    if (!this.#closed) return;
    throw new ToolError("unavailable", "This session is closed", { hint: "Create a new session." });
  }

  #checkFree(): void {
    this.#checkOpen();
    if (this.#running === undefined) return;
    throw new ToolError("unavailable", "A turn is running in this session", {
      hint: "Call steer() to send a message now, followUp() to send it after the turn, or abort() to end the turn.",
    });
  }

  async #close(): Promise<void> {
    // The state is `closed` before anything else happens.
    await Promise.resolve();
    await this.abort();
    await this.#parts.recorder.flush();
    this.core.emit({ type: "state", state: "closed" });
    if (this.#hasStarted) this.core.emit({ type: "session-end" });
    await this.#parts.release();
  }
}

type Input = Omit<TurnInput, "turn">;

/** The activity of a session: a turn, or a compaction. */
interface Running {
  readonly turn: LiveTurn | undefined;
  readonly stop: AbortController;
  ended: Promise<void>;
}

function checkInput({ content }: UserMessage): void {
  const isEmpty = content.every((part) => part.type === "text" && part.text.trim() === "");
  if (!isEmpty) return;
  throw new ToolError("invalid-input", "The input is empty", { hint: "Describe the task." });
}

function shown({ content }: UserMessage): string {
  return content.map((part) => (part.type === "text" ? part.text : `[${part.mediaType}]`)).join("\n");
}
