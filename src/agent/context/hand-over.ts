import type { ToolDefinition } from "../../dialects/definition.ts";
import type { AssistantMessage, CallPart, Message, UserMessage } from "../../models/message.ts";
import { userMessage } from "../conversation.ts";

/** Asks for the summary that the conversation goes on with. */
export function askForHandOver(): UserMessage {
  return userMessage(
    "This is no part of the task. The conversation has grown too long to be kept; only the person's pinned messages, your last " +
      "steps, and what you write now will be left of it. Write the hand-over by which you could go on without the rest, " +
      "under exactly these headings:\n" +
      `${headings.map(([heading, what]) => `## ${heading}\n${what}`).join("\n")}\n` +
      "Be exact: whole paths, names, commands, numbers and messages of errors that still matter. Say what has been tried and failed. " +
      "Say only what is so; leave out what is settled and no longer needed. Answer with this text alone: no tool is called now.",
  );
}

const headings = [
  ["Task", "What the person wants, with every condition and correction they gave since."],
  ["Decisions", "What was decided, and why."],
  ["Files changed", "Each file that was created, changed or deleted, and what about it."],
  ["State", "What works, what was verified and how, what fails, what is still running."],
  ["Next steps", "In their order, the very next one first."],
  ["Open questions", "What is not known, or only the person can say."],
] as const;

/** The summary as a message that the conversation goes on with. */
export function handOver(summary: string, plan: string | undefined): UserMessage {
  const parts = [
    `${opening} The person did not write it.\n\n${summary.trim()}`,
    ...(plan === undefined ? [] : [`${planOpening}\n${plan}`]),
    "Go on with the task from here. What is not said here you no longer know: look again before you rely on it.",
  ];
  return userMessage(parts.join("\n\n"));
}

/** The plan as it stands, by the last call that gave one, or by the last hand-over. */
export function planIn(
  messages: readonly Message[],
  tools: readonly Pick<ToolDefinition, "name" | "canonical">[],
): string | undefined {
  const planning = new Set(
    tools.filter(({ canonical }) => canonical === "plan.update").map(({ name }) => name),
  );
  for (const message of messages.toReversed()) {
    const plan = message.role === "assistant" ? givenPlan(message, planning) : keptPlan(message);
    if (plan !== undefined) return plan;
  }
  return undefined;
}

const opening = "This is your own hand-over of the conversation so far, which was too long to be kept.";
const planOpening = "The plan, as you last gave it:";

function givenPlan({ content }: AssistantMessage, planning: ReadonlySet<string>): string | undefined {
  const call = content.findLast(
    (part): part is CallPart => part.type === "call" && planning.has(part.name) && part.input.ok,
  );
  return call?.input.ok ? JSON.stringify(call.input.value) : undefined;
}

function keptPlan(message: Message): string | undefined {
  if (message.role !== "user") return undefined;
  const [part] = message.content;
  if (part?.type !== "text" || !part.text.startsWith(opening)) return undefined;
  const start = part.text.lastIndexOf(`\n\n${planOpening}\n`);
  if (start < 0) return undefined;
  return part.text.slice(start + planOpening.length + 3).split("\n")[0];
}
