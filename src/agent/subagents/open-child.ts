import type { AgentTask } from "../../contract/agents.ts";
import { ToolError } from "../../contract/error.ts";
import type { Model } from "../../models/model.ts";
import { ModelError } from "../../models/model-error.ts";
import { type AddedCaller, type Approve, dialectFor } from "../../toolcrib/index.ts";
import { openMeter } from "../context/meter.ts";
import { LiveSession } from "../live-session.ts";
import type { AgentsParent, Recorder, SessionAgents, SessionParts } from "../session-parts.ts";

export interface ChildOptions {
  readonly id: string;
  readonly task: Omit<AgentTask, "task">;
  readonly parent: AgentsParent;
  /** Those that the child may have; undefined where it is deep enough. */
  readonly agentsOf: (child: () => AgentsParent) => SessionAgents | undefined;
}

/** A session of its own in the room of another: what it used, asks and tells goes there, and the limits of both hold. */
export async function openChild({ id, task, parent, agentsOf }: ChildOptions): Promise<LiveSession> {
  const { parts } = parent;
  const model = task.model === undefined ? parent.model : await openNamed(task.model, parent);
  const agents = agentsOf(() => live.core);
  const { caller, dialect } = await enterRoom(parent, model, agents);
  const [tools, system] = await introduce(parts, { caller, model, dialect });
  const live: LiveSession = new LiveSession({
    ...parts,
    id: `${parts.id}/${id}`,
    caller,
    model,
    dialect,
    protocol: model.facts.callsTools === false ? "text" : parts.protocol,
    reasoning: parent.reasoning,
    system,
    tools,
    limits: {
      ...parts.limits,
      rounds: Math.min(task.maxTurns ?? Number.POSITIVE_INFINITY, parts.limits.rounds),
      turns: Number.POSITIVE_INFINITY,
    },
    approve: askedFor(id, parent.ask),
    recorder: unkept,
    meter: openMeter({ model, system, tools }),
    agents,
    parent,
    past: undefined,
    opening: undefined,
    release: () => caller.close(),
  });
  return live;
}

/** A name without a provider is of one that the parent's own provider has, if it is of the same family. */
async function openNamed(name: string, { parts, model }: AgentsParent): Promise<Model> {
  const isSibling = !name.includes("/") && dialectFor(name) === dialectFor(model.name);
  try {
    return await parts.openForAgent(isSibling ? `${model.provider}/${name}` : name, model.provider);
  } catch (error) {
    const reason = error instanceof ModelError || error instanceof ToolError ? error.message : String(error);
    const code = error instanceof ToolError ? error.code : "unavailable";
    throw new ToolError(code, reason, {
      hint: `Leave out \`model\` for your own, ${model.id}, or name another of ${model.provider}.`,
      cause: error,
    });
  }
}

/** With the tools that its model was trained on, unless the room is too narrow for them. */
async function enterRoom(
  parent: AgentsParent,
  model: Model,
  agents: SessionAgents | undefined,
): Promise<{ readonly caller: AddedCaller; readonly dialect: string }> {
  const { crib } = parent.parts;
  const ofRoom = dialectOfRoom(parent.parts);
  const own = dialectFor(model.name);
  const dialect = own === dialectFor(parent.model.name) ? parent.parts.dialect : own;
  if (dialect !== ofRoom) {
    const caller = await crib.addCaller({ agents, dialect });
    if ((await caller.definitions()).length > 0) return { caller, dialect };
    await caller.close();
  }
  return { caller: await crib.addCaller({ agents }), dialect: ofRoom };
}

function dialectOfRoom({ parent, dialect }: SessionParts): string {
  return parent ? dialectOfRoom(parent.parts) : dialect;
}

async function introduce(
  { systemFor }: SessionParts,
  child: { readonly caller: AddedCaller; readonly model: Model; readonly dialect: string },
) {
  try {
    const tools = await child.caller.definitions();
    return [tools, await systemFor({ ...child, tools })] as const;
  } catch (error) {
    await child.caller.close();
    throw error;
  }
}

/** The person is told whose call it is. */
function askedFor(id: string, ask: Approve | undefined): Approve | undefined {
  return (
    ask &&
    ((request, signal) => {
      const agent = request.agent === undefined ? id : `${id}/${request.agent}`;
      return ask({ ...request, agent }, signal);
    })
  );
}

/** Its calls are in the journal, its answer in the conversation of its parent. */
const unkept: Recorder = { add: () => {} };
