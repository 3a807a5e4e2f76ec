import type { AgentTask } from "../../contract/agents.ts";
import { ToolError } from "../../contract/error.ts";
import type { Model } from "../../models/model.ts";
import { ModelError } from "../../models/model-error.ts";
import { type AddedCaller, type CallerOptions, dialectFor } from "../../toolcrib/index.ts";
import { ContextMeter } from "../context/meter.ts";
import { LiveSession } from "../live-session.ts";
import type { SessionCore } from "../session-core.ts";
import { deferredTools, listedTools } from "../session-model.ts";
import type { Recorder, SessionParts } from "../session-parts.ts";
import type { Subagents } from "./subagents.ts";

export interface ChildOptions {
  readonly id: string;
  readonly task: Omit<AgentTask, "task">;
  readonly parent: SessionCore;
  /** The subagents of the child; undefined at the depth limit. */
  readonly agentsOf: (child: () => SessionCore) => Subagents | undefined;
}

/** Opens a session within its parent's: usage, approvals and events go to the parent, and the limits of both hold. */
export async function openChild({ id, task, parent, agentsOf }: ChildOptions): Promise<LiveSession> {
  const { parts } = parent;
  const model = task.model === undefined ? parent.model : await openNamed(task.model, parent);
  const agents = agentsOf(() => live.core);
  // The session's id and the path of its subagents make the id of a subagent.
  const agent = `${parts.id}/${id}`.slice(parts.crib.session.length + 1);
  const { caller, dialect } = await addCaller(parent, model, { agents, agent });
  const protocol = model.facts.callsTools === false ? "text" : parts.protocol;
  const { tools, deferred, system } = await describeTo(caller, { model, dialect, protocol }, parts);
  const live: LiveSession = new LiveSession({
    ...parts,
    id: `${parts.id}/${id}`,
    caller,
    model,
    dialect,
    protocol,
    reasoning: parent.reasoning,
    system,
    tools,
    deferred,
    limits: {
      ...parts.limits,
      rounds: Math.min(task.maxTurns ?? Number.POSITIVE_INFINITY, parts.limits.rounds),
      turns: Number.POSITIVE_INFINITY,
    },
    approve: parent.ask,
    recorder: recorderOf(id, parts.recorder),
    meter: new ContextMeter({ model, system, tools, ...parts.limits }),
    agents,
    parent,
    resumed: undefined,
    opening: undefined,
    release: () => caller.close(),
  });
  return live;
}

/** A name without a provider means the parent's provider, if the model is of the same family. */
async function openNamed(name: string, { parts, model }: SessionCore): Promise<Model> {
  const isSibling = !name.includes("/") && dialectFor(name) === dialectFor(model.name);
  try {
    return await parts.openForAgent(isSibling ? `${model.provider}/${name}` : name, model.provider);
  } catch (error) {
    const reason = error instanceof ModelError || error instanceof ToolError ? error.message : String(error);
    const code = error instanceof ToolError ? error.code : "unavailable";
    throw new ToolError(code, reason, {
      hint: `Leave out \`model\` to use your own, ${model.id}, or name another model of ${model.provider}.`,
      cause: error,
    });
  }
}

/** Adds a caller with the dialect of the model, unless the allowed tools leave nothing of that dialect. */
async function addCaller(
  parent: SessionCore,
  model: Model,
  options: Pick<CallerOptions, "agents" | "agent">,
): Promise<{ readonly caller: AddedCaller; readonly dialect: string }> {
  const { crib } = parent.parts;
  const parentDialect = sessionDialect(parent.parts);
  const own = dialectFor(model.name);
  const dialect = own === dialectFor(parent.model.name) ? parent.parts.dialect : own;
  if (dialect !== parentDialect) {
    const caller = await crib.addCaller({ ...options, dialect });
    if ((await caller.definitions()).length > 0) return { caller, dialect };
    await caller.close();
  }
  return { caller: await crib.addCaller(options), dialect: parentDialect };
}

function sessionDialect({ parent, dialect }: SessionParts): string {
  return parent ? sessionDialect(parent.parts) : dialect;
}

async function describeTo(
  caller: AddedCaller,
  frame: Omit<Parameters<SessionParts["systemFor"]>[0], "tools"> & { readonly model: Model },
  { systemFor }: SessionParts,
) {
  try {
    const tools = await listedTools(caller, frame.model);
    const deferred = await deferredTools(caller, frame.model, tools);
    return { tools, deferred, system: await systemFor({ ...frame, tools }) };
  } catch (error) {
    await caller.close();
    throw error;
  }
}

/**
 * The conversation of a subagent is not recorded: its calls are in the journal, and its answer is in the parent's
 * conversation. Its own subagents are recorded there too.
 */
function recorderOf(id: string, parent: Recorder): Recorder {
  return {
    add: (...entries) => {
      for (const entry of entries)
        if (entry.kind === "agent") parent.add({ ...entry, agent: `${id}/${entry.agent}` });
    },
    flush: async () => {},
    stop: () => {},
  };
}
