import type { Attributes, Span } from "@opentelemetry/api";
import { ToolError } from "../contract/error.ts";
import type { TokenUsage } from "../models/model.ts";
import type { AgentEvent } from "./event.ts";
import type { Session } from "./session.ts";

/** Reports a session to `@opentelemetry/api` as spans, without any content. Returns a function that stops it. */
export async function startTelemetry(
  session: Pick<Session, "id" | "model" | "on" | "toolcrib">,
): Promise<() => void> {
  const api = await loadApi();
  const { id, model, toolcrib } = session;
  const writer = new SpanWriter(api, { session: id, model: model.id, target: toolcrib.target });
  const stopListening = session.on((event) => writer.take(event));
  return () => {
    stopListening();
    writer.close();
  };
}

async function loadApi(): Promise<Api> {
  try {
    return await import("@opentelemetry/api");
  } catch (cause) {
    throw new ToolError("unavailable", "Telemetry needs @opentelemetry/api, which is not installed", {
      hint: "Run: npm install @opentelemetry/api",
      cause,
    });
  }
}

type Api = typeof import("@opentelemetry/api");
type Event<Type extends AgentEvent["type"]> = Extract<AgentEvent, { readonly type: Type }>;
type Handler<Type extends AgentEvent["type"]> = (event: Event<Type>, agent: OpenSpans) => unknown;

/**
 * Writes spans by the semantic conventions for generative AI: `invoke_agent` for a turn, within it `chat` for each
 * reply and `execute_tool` for each call. Subagents' turns are within their parent's. Spans hold names, counts and
 * outcomes, no content.
 */
export class SpanWriter {
  readonly #api: Api;
  readonly #session: string;
  readonly #model: string;
  /** The attribute that names the target of the workspace. */
  readonly #place: Attributes;
  /** The open spans by agent name; "" is the session itself. */
  readonly #agents = new Map<string, OpenSpans>();

  constructor(
    api: Api,
    {
      session,
      model,
      target,
    }: { readonly session: string; readonly model: string; readonly target?: string | undefined },
  ) {
    this.#api = api;
    this.#place = target === undefined ? {} : { "toolcrib.target": target };
    this.#session = session;
    this.#model = model;
  }

  take(event: AgentEvent): void {
    this.#handlers[event.type]?.(event as never, this.#agentOf(event));
  }

  readonly #handlers: { readonly [Type in AgentEvent["type"]]?: Handler<Type> } = {
    "session-start": ({ model }, agent) => Object.assign(agent, { model }),
    model: ({ model }, agent) => Object.assign(agent, { model }),
    "turn-start": (event, agent) => Object.assign(agent, { turn: this.#startTurn(event, agent) }),
    limit: ({ limit, allowed, at }, { turn }) => turn?.addEvent("limit", { limit, allowed }, at),
    loop: ({ action, times, at }, { turn }) => turn?.addEvent("loop", { action, times }, at),
    clearing: ({ outputs, tokensBefore, tokensAfter, at }, { turn }) =>
      turn?.addEvent("clearing", { outputs, tokens_before: tokensBefore, tokens_after: tokensAfter }, at),
    compaction: ({ tokensBefore, tokensAfter, at }, { turn }) =>
      turn?.addEvent("compaction", { tokens_before: tokensBefore, tokens_after: tokensAfter }, at),
    error: ({ error }, { turn, reply }) => {
      for (const span of [turn, reply?.span]) if (span) this.#fail(span, error.code);
    },
    "turn-end": (event, agent) => this.#endTurn(event, agent),
    "session-end": ({ at }, agent) => this.#endAll(agent, at),
    "round-start": (event, agent) => {
      this.#endReply(agent, event.at);
      agent.reply = { span: this.#startReply(event, agent), endedAt: undefined };
    },
    retry: ({ attempt, code, at }, { reply }) =>
      reply?.span.addEvent("retry", { attempt, "error.type": code }, at),
    "reply-end": ({ at, reason }, { reply }) => {
      if (!reply) return;
      reply.endedAt = at;
      reply.span.setAttribute("gen_ai.response.finish_reasons", [reason]);
    },
    usage: ({ usage, at }, agent) => {
      // A compaction emits `usage`, too; the usage of a reply directly follows its `reply-end`.
      if (agent.reply?.endedAt === undefined) return;
      agent.reply.span.setAttributes(usageAttributes(usage));
      this.#endReply(agent, at);
    },
    "tool-start": (event, agent) => void agent.calls.set(event.id, this.#startCall(event, agent)),
    approval: ({ id, at }, { calls }) => calls.get(id)?.addEvent("approval", {}, at),
    "approval-end": ({ id, allowed, at }, { calls }) =>
      calls.get(id)?.addEvent("approval-end", { allowed }, at),
    "tool-end": (event, agent) => this.#endCall(event, agent),
  };

  close(): void {
    for (const agent of this.#agents.values()) this.#endAll(agent, Date.now());
  }

  #agentOf({ agent: name = "" }: AgentEvent): OpenSpans {
    const known = this.#agents.get(name);
    if (known) return known;
    const model = this.#model;
    const fresh: OpenSpans = { name, model, turn: undefined, reply: undefined, calls: new Map() };
    this.#agents.set(name, fresh);
    return fresh;
  }

  #startTurn({ at, turn }: Event<"turn-start">, agent: OpenSpans): Span {
    this.#endAll(agent, at);
    const attributes = {
      ...modelAttributes(agent.model),
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": agentName,
      "gen_ai.agent.id": agent.name === "" ? this.#session : `${this.#session}/${agent.name}`,
      "toolcrib.turn": turn,
    };
    const parent = agent.name.split("/").slice(0, -1).join("/");
    // Without a parent, a turn is in the active span of the program.
    const above = agent.name === "" ? undefined : this.#agents.get(parent)?.turn;
    return this.#start(`invoke_agent ${agentName}`, { at, attributes }, above);
  }

  #startReply({ at, round }: Event<"round-start">, { model, turn }: OpenSpans): Span {
    const attributes = {
      ...modelAttributes(model),
      "gen_ai.operation.name": "chat",
      "toolcrib.round": round,
    };
    return this.#start(`chat ${nameOf(model)}`, { at, attributes, isRemote: true }, turn);
  }

  #startCall({ at, id, name, canonical }: Event<"tool-start">, { turn }: OpenSpans): Span {
    const attributes = {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": name,
      "gen_ai.tool.type": "function",
      "gen_ai.tool.call.id": id,
      "toolcrib.tool": canonical,
    };
    return this.#start(`execute_tool ${name}`, { at, attributes }, turn);
  }

  #start(
    name: string,
    { at, attributes, isRemote = false }: { at: number; attributes: Attributes; isRemote?: boolean },
    parent: Span | undefined,
  ): Span {
    const { context, SpanKind, trace } = this.#api;
    const surroundings = parent ? trace.setSpan(context.active(), parent) : context.active();
    return trace.getTracer("toolcrib").startSpan(
      name,
      {
        startTime: at,
        kind: isRemote ? SpanKind.CLIENT : SpanKind.INTERNAL,
        attributes: { "gen_ai.conversation.id": this.#session, ...this.#place, ...attributes },
      },
      surroundings,
    );
  }

  #endCall({ id, at, isError, error, callId }: Event<"tool-end">, { calls }: OpenSpans): void {
    const span = calls.get(id);
    if (!span) return;
    calls.delete(id);
    if (callId !== null) span.setAttribute("toolcrib.call", callId);
    if (isError) this.#fail(span, error?.code ?? "tool_error");
    span.end(at);
  }

  #endReply(agent: OpenSpans, at: number): void {
    agent.reply?.span.end(agent.reply.endedAt ?? at);
    agent.reply = undefined;
  }

  #endTurn(event: Event<"turn-end">, agent: OpenSpans): void {
    agent.turn?.setAttributes({
      ...usageAttributes(event.usage),
      "toolcrib.outcome": event.outcome,
      "toolcrib.rounds": event.rounds,
      "toolcrib.calls": event.calls,
      "toolcrib.cost_usd": event.cost ?? undefined,
    });
    this.#endAll(agent, event.at);
  }

  #endAll(agent: OpenSpans, at: number): void {
    for (const span of agent.calls.values()) span.end(at);
    agent.calls.clear();
    this.#endReply(agent, at);
    agent.turn?.end(at);
    agent.turn = undefined;
  }

  #fail(span: Span, type: string): void {
    span.setAttribute("error.type", type);
    span.setStatus({ code: this.#api.SpanStatusCode.ERROR });
  }
}

interface OpenSpans {
  readonly name: string;
  model: string;
  turn: Span | undefined;
  /** The current reply, which may have ended and still lack its usage. */
  reply: { readonly span: Span; endedAt: number | undefined } | undefined;
  readonly calls: Map<string, Span>;
}

const agentName = "toolcrib";

function modelAttributes(model: string): Attributes {
  const [provider = ""] = model.split("/");
  return {
    "gen_ai.provider.name": provider === "google" ? "gcp.gemini" : provider,
    "gen_ai.request.model": nameOf(model),
  };
}

function nameOf(model: string): string {
  return model.slice(model.indexOf("/") + 1);
}

function usageAttributes({ input, output, cached, cacheWritten }: TokenUsage): Attributes {
  return {
    "gen_ai.usage.input_tokens": input,
    "gen_ai.usage.output_tokens": output,
    "gen_ai.usage.cache_read.input_tokens": cached,
    "gen_ai.usage.cache_creation.input_tokens": cacheWritten,
  };
}
