import type { TurnResult } from "../../../src/agent/event.ts";
import type { StartEntry } from "../../../src/agent/records/restore.ts";
import type { SessionEntry } from "../../../src/agent/records/session-entry.ts";
import type { CallPart } from "../../../src/models/message.ts";
import type { TokenUsage } from "../../../src/models/model.ts";

/** Entries as a session writes them, for tests. */
export const start: StartEntry = {
  kind: "start",
  version: 1,
  model: "openai/gpt-5",
  dialect: "codex",
  protocol: "native",
  reasoning: null,
  system: "You are an agent.",
  workspace: "/work",
};

export const usage: TokenUsage = { input: 10, cached: 2, cacheWritten: 0, output: 3, reasoning: 1 };

export function user(turn: number, text: string, rest: { isPinned?: true; source?: "steering" } = {}) {
  const message = { role: "user", content: [{ type: "text", text }] } as const;
  return { kind: "user", turn, source: "input", message, ...rest } as const satisfies SessionEntry;
}

export function reply(text: string, ...calls: readonly CallPart[]) {
  const content = [{ type: "text", text } as const, ...calls];
  const message = { role: "assistant", model: "openai/gpt-5", content } as const;
  const reason = calls.length > 0 ? "calls" : "stop";
  return { kind: "reply", message, reason, usage } as const satisfies SessionEntry;
}

export function call(id: string, value: unknown = { path: id }, name = "file_write"): CallPart {
  return { type: "call", id, name, input: { ok: true, value } };
}

export function begun(id: string, callId = `call_${id}`): SessionEntry {
  return { kind: "begun", id, callId };
}

export function answer(id: string, content = `done ${id}`) {
  const words = { id, name: "file_write", content, isError: false, images: [] };
  return { kind: "answer", answer: words, callId: `call_${id}` } as const satisfies SessionEntry;
}

export function turnEnd(turn: number, rest: Partial<TurnResult> = {}): SessionEntry {
  const result: TurnResult = {
    turn,
    outcome: "completed",
    text: "",
    error: null,
    rounds: 1,
    calls: 0,
    usage,
    cost: null,
    ...rest,
  };
  return { kind: "turn-end", result };
}

/** Entries as the journal returns them. */
export function kept(entries: readonly unknown[]) {
  return entries.map((entry, index) => ({ number: index + 1, at: 1_000 * index, entry }));
}
