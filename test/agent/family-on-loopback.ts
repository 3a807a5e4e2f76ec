import type { AgentEvent } from "../../src/agent/event.ts";
import type { ScriptedReply, SeenRequest } from "../providers/provider-server.ts";
import { type LoopbackOptions, plain, sessionOnLoopback } from "./session-on-loopback.ts";

/** Calls in the toolcrib dialect. */
export const spawn = (task: string, more: object = {}) => ({ name: "agent_spawn", input: { task, ...more } });
export const wait = (agent: string, more: object = {}) => ({ name: "agent_wait", input: { agent, ...more } });
export const done = { text: "Done." };

export type Reply = ScriptedReply | ((request: SeenRequest) => ScriptedReply | Promise<ScriptedReply>);

/** Each agent follows the replies for its task; those for "user" are for the session itself. */
export function family(replies: Readonly<Record<string, readonly Reply[]>>) {
  const asked = new Map<string, number>();
  return async (request: SeenRequest): Promise<ScriptedReply> => {
    const isChild = request.system.includes("Another agent gave you a task");
    const task = isChild ? request.messages[0]!.text : "user";
    const number = asked.get(task) ?? 0;
    asked.set(task, number + 1);
    const reply = replies[task]?.[number] ?? { text: `Nothing is left to say of ${task}` };
    return typeof reply === "function" ? reply(request) : reply;
  };
}

/** A session whose subagents are on the same loopback provider. */
export async function familyOnLoopback(
  replies: Readonly<Record<string, readonly Reply[]>>,
  options: LoopbackOptions = {},
) {
  const fixture = await sessionOnLoopback(family(replies), { dialect: "toolcrib", ...options });
  const run = (text = "Go.") => fixture.session.run(text).result;
  /** The answers that the session's own model got to its calls. */
  const answers = () =>
    fixture.session.messages.flatMap((message) =>
      message.role === "tool" ? message.answers.map(({ content }) => content.split("\n[Get its")[0]) : [],
    );
  const of = (type: AgentEvent["type"]) =>
    plain(fixture.events).filter((event) => "type" in event && event.type === type);
  return { ...fixture, run, answers, of };
}
