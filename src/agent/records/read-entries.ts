import * as z from "zod/mini";
import type { ConversationEntry } from "../../contract/conversations.ts";
import { errorWith, ToolError } from "../../contract/error.ts";
import { printableLine } from "../../lib/text/printable.ts";
import { reasoningEfforts } from "../../models/model.ts";
import { type Restored, restore } from "./restore.ts";
import type { SessionEntry } from "./session-entry.ts";

/**
 * Returns the entries of a session, or those up to the end of a turn. Throws `not-found`, and `unavailable` when an
 * entry is damaged or written by a newer Toolcrib.
 */
export function readEntries(
  stored: readonly ConversationEntry[],
  session: string,
  turn?: number,
): readonly SessionEntry[] {
  const entries: SessionEntry[] = [];
  for (const kept of stored) {
    try {
      entries.push(readEntry(kept, session));
    } catch (error) {
      const ended = lastEndedTurn(entries);
      if (turn !== undefined && ended >= turn) break;
      const hint = `Continue from its readable part: toolcrib sessions fork ${session} --turn ${ended}`;
      throw ended === 0 ? error : errorWith(error as ToolError, { hint });
    }
    const entry = entries.at(-1);
    if (turn !== undefined && entry?.kind === "user" && entry.turn > turn) break;
  }
  if (entries.length === 0) throw unknownSession(session);
  const wanted = turn === undefined ? entries : entriesUpTo(entries, turn);
  if (wanted !== undefined) return wanted;
  const { turns } = restoreEntries(entries, session);
  throw new ToolError("not-found", `Session ${session} has no turn ${turn}`, {
    hint: turns === 0 ? "Send the session a message first." : `Use a turn from 1 to ${turns}.`,
  });
}

/** Rebuilds a session from its entries. Throws `unavailable` when the beginning is lost. */
export function restoreEntries(entries: readonly SessionEntry[], session: string): Restored {
  const restored = restore(entries);
  if (restored !== undefined) return restored;
  throw new ToolError("unavailable", `The beginning of session ${session} is missing from the journal`, {
    hint: `To see the rest, run: toolcrib sessions show ${session}`,
  });
}

function unknownSession(session: string): ToolError {
  return new ToolError("not-found", `This workspace has no session ${printableLine(session)}`, {
    hint: "To list its sessions, run: toolcrib sessions list",
  });
}

/** Returns the entries up to the end of a turn; undefined when there is no such turn. Pure. */
export function entriesUpTo(
  entries: readonly SessionEntry[],
  turn: number,
): readonly SessionEntry[] | undefined {
  const begins = (number: number) =>
    entries.findIndex((entry) => entry.kind === "user" && entry.turn >= number);
  if (begins(turn) < 0 || !Number.isInteger(turn) || turn < 1) return undefined;
  const next = begins(turn + 1);
  if (next < 0) return entries;
  // A turn that was continued has several ends.
  const end = entries.findLastIndex((entry) => entry.kind === "turn-end" && entry.result.turn === turn);
  return entries.slice(0, end >= 0 && end < next ? end + 1 : next);
}

export function lastEndedTurn(entries: readonly SessionEntry[]): number {
  const last = entries.findLast((entry) => entry.kind === "turn-end");
  return last?.result.turn ?? 0;
}

/** Validates a recorded entry. Throws `unavailable` when it is damaged or written by a newer Toolcrib. */
export function readEntry({ number, entry }: ConversationEntry, session: string): SessionEntry {
  const { kind, version } = Object(entry);
  const isNewer = kind === "start" ? version > 1 : typeof kind === "string" && !Object.hasOwn(shapes, kind);
  if (isNewer)
    throw new ToolError("unavailable", `Session ${session} was written by a newer version of Toolcrib`, {
      hint: "Update Toolcrib.",
    });
  const shape = typeof kind === "string" ? shapes[kind as SessionEntry["kind"]] : undefined;
  if (shape === undefined || !z.safeParse(shape, entry).success)
    throw new ToolError("unavailable", `Entry ${number} of session ${session} is damaged`, {
      hint: `To see the rest, run: toolcrib sessions show ${session}`,
    });
  return entry as SessionEntry;
}

export function tryReadEntry(kept: ConversationEntry, session: string): SessionEntry | undefined {
  try {
    return readEntry(kept, session);
  } catch {
    return undefined;
  }
}

const text = z.string();
const count = z.number();
const meta = z.optional(z.record(text, z.unknown()));
const reasoning = z.enum(reasoningEfforts);
const usage = z.looseObject({
  input: count,
  cached: count,
  cacheWritten: count,
  output: count,
  reasoning: count,
});
const image = { mediaType: text, base64: text };
const textPart = z.looseObject({ type: z.literal("text"), text, meta });
const user = z.looseObject({
  role: z.literal("user"),
  content: z.array(z.union([textPart, z.looseObject({ type: z.literal("image"), ...image })])),
});
const input = z.union([
  z.looseObject({ ok: z.literal(true), value: z.unknown() }),
  z.looseObject({ ok: z.literal(false), given: text, problem: text }),
]);
const assistant = z.looseObject({
  role: z.literal("assistant"),
  model: text,
  content: z.array(
    z.union([
      textPart,
      z.looseObject({ type: z.literal("reasoning"), text, meta }),
      z.looseObject({ type: z.literal("call"), id: text, name: text, input, meta }),
    ]),
  ),
  meta,
});
const answer = z.looseObject({
  id: text,
  name: text,
  content: text,
  isError: z.boolean(),
  images: z.array(z.looseObject(image)),
});
const tool = z.looseObject({ role: z.literal("tool"), answers: z.array(answer) });

/** The shapes check only the fields that readers rely on. */
const shapes: Readonly<Record<SessionEntry["kind"], z.ZodMiniType>> = {
  start: z.looseObject({
    version: count,
    model: text,
    dialect: text,
    protocol: z.enum(["native", "text"]),
    reasoning: z.nullable(reasoning),
    system: text,
    workspace: text,
    parent: z.optional(z.looseObject({ session: text, turn: count })),
  }),
  user: z.looseObject({
    turn: count,
    source: z.enum(["input", "follow-up", "steering", "notice"]),
    message: user,
  }),
  reply: z.looseObject({
    message: assistant,
    reason: z.enum(["stop", "calls", "length", "filtered"]),
    usage,
  }),
  begun: z.looseObject({ id: text, callId: text }),
  answer: z.looseObject({ answer, callId: z.nullable(text) }),
  cleared: z.looseObject({ answers: z.array(z.looseObject({ id: text, content: text })) }),
  compacted: z.looseObject({
    messages: z.array(z.union([user, assistant, tool])),
    pinned: z.array(count),
  }),
  change: z.looseObject({
    model: z.optional(text),
    reasoning: z.optional(z.nullable(reasoning)),
    isPlanning: z.optional(z.boolean()),
  }),
  spent: z.looseObject({ model: text, usage }),
  agent: z.looseObject({
    agent: text,
    state: z.enum(["running", "completed", "failed", "closed"]),
    task: z.optional(text),
  }),
  "turn-end": z.looseObject({
    result: z.looseObject({
      turn: count,
      outcome: z.enum(["completed", "aborted", "limit", "loop", "failed"]),
      limit: z.optional(z.enum(["rounds", "turns", "tokens", "cost"])),
      text,
    }),
  }),
};
