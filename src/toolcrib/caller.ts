import type { Agents } from "../contract/agents.ts";
import type { CallerMemory, DecisionRecord, ParentCall, ToolCall } from "../contract/call.ts";
import type { Environment } from "../contract/environment.ts";
import { type CallFailure, ToolError, toFailure } from "../contract/error.ts";
import type { InnerResult, ToolCalls } from "../contract/script.ts";
import type { ToolDefinition } from "../dialects/definition.ts";
import type { Dialect, ResolvedCall } from "../dialects/dialect.ts";
import { nameForUser } from "../dialects/find-tool.ts";
import type { CanonicalTools } from "../dialects/rename.ts";
import type { Toolset } from "../dialects/toolset.ts";
import type { ApprovalRequest, Approve } from "../engine/approvals/approval-request.ts";
import { needsApproval } from "../engine/approvals/refusals.ts";
import { exhaustionError, isExhaustion } from "../lib/exhaustion.ts";
import { newIdentifier } from "../lib/identifier.ts";
import { unknownName } from "../lib/unknown-name.ts";
import type { CallEventListener, CallEvents } from "../pipeline/call-events.ts";
import type { CheckedCall } from "../pipeline/check-call.ts";
import type { Next } from "../pipeline/stage.ts";
import type { WireFormat, WireTools } from "../wire/formats.ts";
import { askAfter, askBefore, type CallHooks, type HookedCall } from "./call-hooks.ts";
import { type CallResult, toResult } from "./call-result.ts";
import type { DialectInputs } from "./dialect-inputs.ts";
import type { DeniedTools } from "./open-toolset.ts";
import { RunningCalls } from "./running-calls.ts";

/**
 * The tools of a caller that nothing is known about. With `any`, an instance whose tools are known can be passed on.
 */
// biome-ignore lint/suspicious/noExplicitAny: see above
export type AnyTools = any;

/** Calls tools under the names of one dialect. `Tools` are the tools that the types of calls know. */
export interface Caller<Tools = AnyTools> {
  /**
   * Returns the tool definitions for a model. `which: "all"` adds the tools that are not listed at first; `for` returns
   * them in the format of one provider's API.
   */
  definitions<Format extends WireFormat | undefined = undefined>(
    options?: DefinitionOptions<Format>,
  ): Promise<readonly DefinitionIn<Format>[]>;
  /** Calls `listener` whenever `definitions()` may have changed. Returns a function that stops it. */
  onToolsChange(listener: () => void): () => void;
  /**
   * Calls a tool by its dialect name, or any tool by its canonical name and with its canonical arguments. Both are typed,
   * like `data`. Never rejects: failures are results.
   */
  call<Name extends ToolName<Tools>>(
    name: Name,
    input: CallInput<Name, Tools>,
    options?: CallOptions,
  ): Promise<CallResult<CallData<Name, Tools>>>;
  /** Decides a call as `call` would, without making or recording it. Hooks do not run: they may still block or ask. */
  check<Name extends ToolName<Tools>>(
    name: Name,
    input: CallInput<Name, Tools>,
    options?: CheckOptions,
  ): Promise<CallCheck>;
}

/** A canonical name, a name of the dialect, or any other name that the caller knows. */
export type ToolName<Tools = AnyTools> = keyof CanonicalTools | (keyof Tools & string) | (string & {});

/** The input that a call of this name takes; lists may be readonly. */
export type CallInput<Name, Tools = AnyTools> = Name extends keyof CanonicalTools
  ? Given<CanonicalTools[Name]["input"]>
  : Name extends keyof Tools
    ? Tools[Name] extends { readonly input: infer Input }
      ? Input
      : unknown
    : unknown;

/** The data of a call of this name that did not fail. */
export type CallData<Name, Tools = AnyTools> = Name extends keyof CanonicalTools
  ? CanonicalTools[Name]["data"]
  : Name extends keyof Tools
    ? Tools[Name] extends { readonly tool: infer Tool }
      ? Tool extends keyof CanonicalTools
        ? CanonicalTools[Tool]["data"]
        : unknown
      : unknown
    : unknown;

/** The name of a built-in dialect. */
export type DialectName = keyof DialectInputs;

/** The tools of a dialect, as the types of calls know them: those of a dialect of a program are not known. */
export type ToolsOf<Name> = Name extends DialectName ? DialectInputs[Name] : object;

type Given<Value> = Value extends object ? { readonly [Key in keyof Value]: Given<Value[Key]> } : Value;

/** The verdict on a call that is not made. */
export interface CallCheck {
  /** `allow`: it would run. `ask`: it needs approval. `deny`: it would fail, also by an unknown tool or invalid input. */
  readonly verdict: "allow" | "ask" | "deny";
  /** Why, in a sentence. */
  readonly explanation: string;
  /** The rule that decides, and its source; null when the tool or the input is wrong. */
  readonly decision: DecisionRecord | null;
  /** The request that the user would see; null unless the verdict is `ask`. */
  readonly request: ApprovalRequest | null;
  /** How the call would fail; null unless the verdict is `deny`. */
  readonly error: CallFailure | null;
}

export type CheckOptions = Pick<CallOptions, "signal" | "mustAsk" | "onlyOffered">;

export interface CallOptions {
  /** Cancels the call and everything it started. */
  readonly signal?: AbortSignal | undefined;
  /** Ends the call after this time. Waiting for approval or for its turn does not count. */
  readonly timeoutMs?: number | undefined;
  /** Asks the user about this call, instead of the `approve` of the Toolcrib. */
  readonly approve?: Approve | undefined;
  /** Asks the user even where the rules allow the call, for this reason. */
  readonly mustAsk?: string | undefined;
  /**
   * Finds only the tools in `definitions({ which: "all" })`, for a name that a model chose. Default: false, and a
   * canonical name calls its tool in every dialect, within `onlyTools` and `readOnly`.
   */
  readonly onlyOffered?: boolean | undefined;
  /** Receives the events of this call, and of the calls that it makes, which have its id as `parent`. */
  readonly onEvent?: CallEventListener | undefined;
}

export interface DefinitionOptions<Format extends WireFormat | undefined = undefined> {
  /** Default: "listed". */
  readonly which?: "listed" | "all" | undefined;
  /** Default: the neutral format. */
  readonly for?: Format | undefined;
}

export type DefinitionIn<Format> = Format extends WireFormat ? WireTools[Format] : ToolDefinition;

export interface CallerOptions {
  /** Default: the dialect of the Toolcrib. */
  readonly dialect?: string | Dialect | undefined;
  readonly agents?: Agents | undefined;
  /** The subagent that makes the calls, for the user who is asked about them. */
  readonly agent?: string | undefined;
  /** Whether the calls are the user's own, to which plan mode does not apply. Default: false. */
  readonly isUser?: boolean | undefined;
  /** Whether only tools that change nothing are offered. Default: as in the options of the Toolcrib. */
  readonly readOnly?: boolean | undefined;
}

/** The parts that all callers of one Toolcrib share. */
export interface SharedByCallers {
  readonly environment: Environment;
  readonly pipeline: Next;
  readonly check: (call: ToolCall) => Promise<CheckedCall>;
  readonly events: CallEvents;
  readonly running: RunningCalls;
  readonly denied: DeniedTools;
  /** The `approve` of single calls, by call id. It replaces the Toolcrib's own. */
  readonly approvers: Map<string, Approve>;
  /** The functions of the program that run before and after calls. */
  readonly hooks: CallHooks | undefined;
}

/** A toolset of one dialect, connected to the pipeline. */
export class ToolsetCaller<Tools = AnyTools> implements Caller<Tools> {
  readonly #dialect: Dialect;
  readonly #toolset: Toolset;
  readonly #shared: SharedByCallers;
  readonly #own: OwnCalls | undefined;

  /** Creates a caller. `own` is set for added callers, which have their own memory and are closed separately. */
  constructor(dialect: Dialect, toolset: Toolset, shared: SharedByCallers, own?: OwnCalls) {
    this.#dialect = dialect;
    this.#toolset = toolset;
    this.#shared = shared;
    this.#own = own;
  }

  async definitions<Format extends WireFormat | undefined = undefined>({
    which,
    for: format,
    ...others
  }: DefinitionOptions<Format> = {}): Promise<readonly DefinitionIn<Format>[]> {
    const unknown = unknownName(others, ["which", "for"], { owner: "definitions", kind: "option" });
    if (unknown) throw unknown;
    await this.#shared.denied.refresh();
    const definitions = await this.#toolset.definitions(which);
    if (format === undefined) return definitions as never;
    const { toWire } = await import("../wire/formats.ts");
    return toWire(format, definitions) as never;
  }

  onToolsChange(listener: () => void): () => void {
    const stops = [this.#toolset.onChange(listener), this.#shared.denied.onChange(listener)];
    return () => {
      for (const stop of stops) stop();
    };
  }

  call<Name extends ToolName<Tools>>(
    name: Name,
    input: CallInput<Name, Tools>,
    options: CallOptions = {},
  ): Promise<CallResult<CallData<Name, Tools>>> {
    const unknown = unknownOption("call", options);
    const find = (given: unknown) => this.#toolset.find(String(name), given, options);
    return this.#call({ name, input, find }, options, unknown) as Promise<CallResult<CallData<Name, Tools>>>;
  }

  /** Makes a call of the program itself, whichever tools are offered. */
  callCanonical(name: keyof CanonicalTools, input: unknown, options: CallOptions = {}): Promise<CallResult> {
    const find = (given: unknown) => this.#toolset.findCanonical(name, given);
    return this.#call({ name, input, find }, options, unknownOption("call", options));
  }

  async check(name: string, input: unknown, options: CheckOptions = {}): Promise<CallCheck> {
    const refusal = unknownOption("check", options) ?? this.#closedError();
    if (refusal) return toCheck({ verdict: "deny", decision: undefined, error: refusal });
    const checked = await this.#untilClosed(options.signal, async (signal) => {
      const resolved = await this.#toolset.find(String(name), input, options);
      return this.#shared.check(this.#toCall(newIdentifier("call"), resolved, { ...options, signal }));
    });
    return toCheck(checked);
  }

  async #call(wanted: WantedCall, options: InnerOptions, mistake?: ToolError): Promise<CallResult> {
    const id = newIdentifier("call");
    const refusal = mistake ?? this.#closedError();
    if (refusal) return toResult(id, { ok: false, error: refusal }, this.#dialect);
    const { events, approvers } = this.#shared;
    const { approve, onEvent } = options;
    if (approve) approvers.set(id, approve);
    const stopListening =
      onEvent && events.on((event) => (event.callId === id || event.parent === id) && onEvent(event));
    try {
      return await this.#run(id, wanted, options);
    } catch (error) {
      // The module of the tool could not be loaded.
      if (!isExhaustion(error)) throw error;
      return toResult(id, { ok: false, error: exhaustionError(error) }, this.#dialect);
    } finally {
      approvers.delete(id);
      stopListening?.();
    }
  }

  async #run(id: string, wanted: WantedCall, options: InnerOptions): Promise<CallResult> {
    const run = async (signal: AbortSignal) => {
      const { hooks } = this.#shared;
      if (hooks === undefined) return this.#make(id, await wanted.find(wanted.input), { ...options, signal });
      const { call, resolved } = await hookedCall(id, wanted, hooks, signal);
      const result = await this.#make(id, resolved, { ...options, signal });
      const { content, failed } = await askAfter(hooks, call, result, signal);
      return { ...result, content, isError: result.isError || failed };
    };
    const { parent, signal } = options;
    // A call that makes others waits for them, and cancels them when it is closed.
    return await (parent && signal ? run(signal) : this.#untilClosed(signal, run));
  }

  async #make(
    id: string,
    resolved: ResolvedCall,
    options: InnerOptions & { readonly signal: AbortSignal },
  ): Promise<CallResult> {
    return toResult(id, await this.#shared.pipeline(this.#toCall(id, resolved, options)), this.#dialect);
  }

  /** Returns the calls of a script or of an own tool, which are made as its caller makes its own. */
  #innerCalls(parent: ParentCall, outer: InnerOptions): ToolCalls {
    const { approve, onlyOffered } = outer;
    const callWhole = async (name: string, input: unknown, { signal }: { readonly signal: AbortSignal }) => {
      const endWait = parent.clock?.wait();
      try {
        const options = { approve, onlyOffered, signal, parent };
        const find = (given: unknown) => this.#toolset.find(name, given, options);
        return await this.#call({ name, input, find }, options);
      } finally {
        endWait?.();
      }
    };
    return {
      areNested: outer.parent !== undefined,
      tools: async () => {
        const definitions = await this.definitions({ which: "all" });
        return definitions
          .filter(({ canonical }) => canonical !== "tools.script" && canonical !== "tools.call")
          .map((definition) => ({
            name: nameForUser(definition),
            description: definition.description,
            inputSchema: definition.inputSchema,
            dataSchema: definition.outputSchema,
          }));
      },
      call: async (...call) => toInner(await callWhole(...call)),
      callWhole,
    };
  }

  /** Does work that is cancelled when this caller or its Toolcrib closes. Closing waits for it. */
  async #untilClosed<Result>(
    signal: AbortSignal | undefined,
    act: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const { running } = this.#shared;
    const own = this.#own?.calls.enter(signal);
    const entered = running.enter(own?.signal ?? signal);
    const work = act(entered.signal);
    running.add(work);
    this.#own?.calls.add(work);
    try {
      return await work;
    } finally {
      entered.leave();
      own?.leave();
    }
  }

  #toCall(
    id: string,
    resolved: ResolvedCall,
    options: InnerOptions & { readonly signal: AbortSignal },
  ): ToolCall {
    const { signal, timeoutMs, mustAsk, parent } = options;
    return {
      ...resolved,
      id,
      accesses: [],
      environment: this.#shared.environment,
      caller: this.#own?.memory,
      agent: this.#own?.agent,
      parent,
      ...(resolved.tool.makesCalls && { innerCalls: (own) => this.#innerCalls(own, options) }),
      isOfUser: this.#own?.isUser,
      asksBeforeCommands: this.#dialect.asksBeforeCommands,
      account: {},
      ...(mustAsk !== undefined && { hook: { permission: "ask", reason: mustAsk } }),
      signal,
      timeoutMs,
      outlivedBy: (work) => this.#shared.running.add(work),
      notify: () => {},
    };
  }

  #closedError(): ToolError | undefined {
    if (this.#shared.running.haveEnded) return toolcribClosed();
    if (!this.#own?.calls.haveEnded) return undefined;
    return new ToolError("unavailable", "This caller is closed", { hint: "Add another caller." });
  }
}

/** A call before its tool is known. */
interface WantedCall {
  readonly name: string;
  readonly input: unknown;
  readonly find: (input: unknown) => Promise<ResolvedCall>;
}

/** Runs the hook before a call. A call that it blocks is recorded and fails as one that a rule denies. */
async function hookedCall(
  id: string,
  { name, input, find }: WantedCall,
  hooks: CallHooks,
  signal: AbortSignal,
): Promise<{ readonly call: HookedCall; readonly resolved: ResolvedCall }> {
  const resolved = await find(input);
  const { tool } = resolved;
  const call: HookedCall = { id, name, canonical: tool.canonical ?? tool.name, input };
  const checked = await askBefore(hooks, call, signal);
  if (checked.ok)
    return checked.input === input
      ? { call, resolved }
      : { call: { ...call, input: checked.input }, resolved: await find(checked.input) };
  const refuse = () => {
    throw new ToolError("denied", checked.reason, { hint: "Do not work around it." });
  };
  return { call, resolved: { ...resolved, tool: { ...tool, accesses: refuse } } };
}

/** Returns an error for an option that does not exist. */
function unknownOption(method: "call" | "check", options: CallOptions): ToolError | undefined {
  return unknownName(options, method === "call" ? callOptions : checkOptions, {
    owner: method,
    kind: "option",
  });
}

const callOptions = Object.keys({
  signal: true,
  timeoutMs: true,
  approve: true,
  mustAsk: true,
  onlyOffered: true,
  onEvent: true,
} satisfies Readonly<Record<keyof CallOptions, true>>);

const checkOptions: readonly string[] = ["signal", "mustAsk", "onlyOffered"];

/** The options of a call, which a script may make. */
type InnerOptions = CallOptions & { readonly parent?: ParentCall | undefined };

function toInner({ content, data, error, failed }: CallResult): InnerResult {
  if (error === null) return { ok: true, data, text: content, failed };
  const { code, message, hint } = error;
  return { ok: false, error: { code, message, hint: hint ?? undefined } };
}

function toCheck(checked: CheckedCall): CallCheck {
  const { verdict, decision = null } = checked;
  if (checked.verdict === "deny") {
    const error = toFailure(checked.error);
    return { verdict, explanation: error.message, decision, request: null, error };
  }
  if (checked.verdict === "allow")
    return {
      verdict,
      explanation: `Allowed: ${checked.decision.reason}`,
      decision,
      request: null,
      error: null,
    };
  const { request } = checked;
  const { message: explanation } = needsApproval({ verdict: "ask", parts: request.parts }, request);
  return { verdict, explanation, decision, request, error: null };
}

interface OwnCalls {
  readonly memory: CallerMemory;
  readonly agent: string | undefined;
  readonly isUser: boolean;
  readonly calls: RunningCalls;
}

/** A further caller of the same Toolcrib, created by `Toolcrib.addCaller`. */
export class AddedCaller extends ToolsetCaller implements AsyncDisposable {
  readonly #calls: RunningCalls;
  readonly #endLeftovers: () => Promise<unknown>;
  #closing: Promise<void> | undefined;

  constructor(
    dialect: Dialect,
    toolset: Toolset,
    shared: SharedByCallers,
    own: {
      readonly memory: CallerMemory;
      readonly agent: string | undefined;
      readonly isUser: boolean;
      /** Ends the processes and shells that this caller started. */
      readonly endLeftovers: () => Promise<unknown>;
    },
  ) {
    const calls = new RunningCalls();
    super(dialect, toolset, shared, { ...own, calls });
    this.#calls = calls;
    this.#endLeftovers = own.endLeftovers;
  }

  /**
   * Cancels its calls, waits for them, and ends the processes and shells it started. Its changes stay. May be called
   * twice.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    await this.#calls.end();
    await this.#endLeftovers();
  }
}

export function toolcribClosed(): ToolError {
  return new ToolError("unavailable", "This Toolcrib is closed", { hint: "Open a new Toolcrib." });
}
