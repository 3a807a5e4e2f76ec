import { callsOf } from "../../src/agent/history.ts";
import type { Message } from "../../src/models/message.ts";

/**
 * Returns what the strictest provider would refuse in a conversation, as sentences. Every call must be answered once,
 * directly after its reply and in order; ids must be unique; nothing may be empty; the user must begin.
 */
export function checkHistory(messages: readonly Message[]): string[] {
  const faults: string[] = [];
  const ids = new Set<string>();
  if (messages[0] && messages[0].role !== "user") faults.push("The first message is not the user's.");
  messages.forEach((message, index) => {
    const next = messages[index + 1];
    const place = `Message ${index + 1}`;
    if (message.role === "tool") {
      const before = messages[index - 1];
      if (before?.role !== "assistant" || callsOf(before).length === 0) {
        faults.push(`${place} answers no calls.`);
      }
      return;
    }
    if (message.content.length === 0 && !("meta" in message)) faults.push(`${place} is empty.`);
    if (message.role === "user") return;
    if (next?.role === "assistant") faults.push(`${place} is followed by another reply.`);
    const calls = callsOf(message);
    for (const { id } of calls) {
      if (ids.has(id)) faults.push(`${place} has the id ${id}, which an earlier call has.`);
      if (!/^[\w-]{1,64}$/.test(id))
        faults.push(`${place} has the id ${id}, which not every provider takes.`);
      ids.add(id);
    }
    if (calls.length === 0) return;
    const answered = next?.role === "tool" ? next.answers.map(({ id }) => id) : [];
    const asked = calls.map(({ id }) => id);
    if (asked.join() !== answered.join()) {
      faults.push(`${place} calls [${asked.join(", ")}], answered are [${answered.join(", ")}].`);
    }
  });
  return faults;
}
