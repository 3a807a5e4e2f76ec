import * as z from "zod/mini";
import type { KeptEntry } from "../../contract/conversations.ts";
import { ToolError } from "../../contract/error.ts";
import { reasoningEfforts } from "../../models/model.ts";
import type { SessionEntry } from "../session-entry.ts";

/** An entry as it was written down. Throws `unavailable` for what is damaged, or of a newer Toolcrib. */
export function readEntry({ number, entry }: KeptEntry, session: string): SessionEntry {
  const { kind, version } = Object(entry);
  const isNewer = kind === "start" ? version > 1 : typeof kind === "string" && !Object.hasOwn(shapes, kind);
  if (isNewer)
    throw new ToolError("unavailable", `The session ${session} was written by a newer Toolcrib`, {
      hint: "Update Toolcrib.",
    });
  const shape = typeof kind === "string" ? shapes[kind as SessionEntry["kind"]] : undefined;
  if (shape === undefined || !z.safeParse(shape, entry).success)
    throw new ToolError("unavailable", `Entry ${number} of the session ${session} is damaged`, {
      hint: `See what is left: toolcrib sessions show ${session}`,
    });
  return entry as SessionEntry;
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

/** As far as it has to hold for whoever reads it. */
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
  compacted: z.looseObject({
    messages: z.array(z.union([user, assistant, tool])),
    pinned: z.array(count),
  }),
  change: z.looseObject({ model: z.optional(text), reasoning: z.optional(z.nullable(reasoning)) }),
  spent: z.looseObject({ model: text, usage }),
  "turn-end": z.looseObject({
    result: z.looseObject({
      turn: count,
      outcome: z.enum(["completed", "aborted", "limit", "loop", "failed"]),
      text,
    }),
  }),
};
