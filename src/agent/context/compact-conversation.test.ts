import fc from "fast-check";
import { expect, it } from "vitest";
import { checkHistory } from "../../../test/support/check-history.ts";
import { rounds } from "../../../test/support/rounds.ts";
import type { Message, UserMessage } from "../../models/message.ts";
import type { ModelRequest } from "../../models/model.ts";
import { ModelError } from "../../models/model-error.ts";
import type { Reply } from "../round/reply-reader.ts";
import { type CompactionOptions, compactConversation } from "./compact-conversation.ts";
import { conversationTokens } from "./meter.ts";

const headings = ["Task", "Decisions", "Files changed", "State", "Next steps", "Open questions"];

const user = (text: string): UserMessage => ({ role: "user", content: [{ type: "text", text }] });

/** A reply that makes one call, and its answer. */
function round(id: string, answer: string, name = "Read", value: unknown = { file_path: "a.ts" }): Message[] {
  return [
    {
      role: "assistant",
      model: "test/model",
      content: [
        { type: "text", text: `I call ${name}.` },
        { type: "call", id, name, input: { ok: true, value } },
      ],
    },
    { role: "tool", answers: [{ id, name, content: answer, isError: false, images: [] }] },
  ];
}

function roundsOf(count: number, answerChars: number): Message[] {
  return Array.from({ length: count }, (_, index) =>
    round(`call_${index}`, "word ".repeat(answerChars / 5)),
  ).flat();
}

function replied(text: string): Reply {
  const usage = { input: 1, output: 1, cached: 0, cacheWritten: 0, reasoning: 0 };
  return {
    message: { role: "assistant", model: "m", content: [{ type: "text", text }] },
    reason: "stop",
    usage,
  };
}

interface Asked extends Partial<Omit<CompactionOptions, "request">> {
  readonly tools?: ModelRequest["tools"];
}

/** Compacts, and returns the requests to the model. */
async function compact(messages: readonly Message[], options: Asked = {}) {
  const asked: ModelRequest[] = [];
  const request = { system: "system", tools: options.tools ?? [], messages };
  const { ask = async () => replied("the summary"), ...rest } = options;
  const compacted = await compactConversation({
    pinned: new Set(messages.slice(0, 1)),
    contextTokens: 10_000,
    tokensBefore: 9_000,
    ...rest,
    request,
    ask: (wanted) => {
      asked.push(wanted);
      return ask(wanted);
    },
  });
  return { ...compacted, asked };
}

const words = (message: Message | undefined) =>
  message?.role === "user"
    ? message.content.map((part) => (part.type === "text" ? part.text : "")).join()
    : "";

it("keeps pinned messages, a summary, and the last steps unchanged", async () => {
  const task = user("Build it.");
  const rule = user("Never touch main.");
  const messages = [task, rule, ...roundsOf(10, 2_000), ...roundsOf(4, 500).map(renamed)];
  const { messages: kept, tokensAfter } = await compact(messages, { pinned: new Set([task, rule]) });
  const [first, second, summary, ...tail] = kept;
  expect([first, second]).toEqual([task, rule]);
  expect(words(summary)).toMatch(/^This is your own summary .*\n\nthe summary\n\nContinue the task/s);
  expect(tail).toEqual(messages.slice(-tail.length));
  expect({ faults: checkHistory(kept), isLess: tokensAfter < 9_000 * 0.6, hasTail: tail.length > 2 }).toEqual(
    {
      faults: [],
      isLess: true,
      hasTail: true,
    },
  );
});

it("asks with the whole conversation, one more message and the tools for six headings", async () => {
  const messages = [user("Build it."), ...roundsOf(10, 2_000)];
  const { asked } = await compact(messages);
  const [request] = asked;
  expect(asked.length).toBe(1);
  expect(request).toEqual({
    system: "system",
    tools: [],
    messages: [...messages, expect.objectContaining({ role: "user" })],
  });
  expect([...words(request?.messages.at(-1)).matchAll(/^## (.+)$/gm)].map(([, name]) => name)).toEqual(
    headings,
  );
});

it("keeps user messages without an answer", async () => {
  const questions = [user("To the left."), user("And now?")];
  const messages = [user("Build it."), ...roundsOf(10, 2_000), ...questions];
  const { messages: kept } = await compact(messages);
  expect(kept.slice(-2)).toEqual(questions);
});

it("ignores calls in the answer, asks again for text, and fails without any", async () => {
  const calling: Reply = { ...replied(""), reason: "calls", message: round("x", "")[0] as Reply["message"] };
  const silent: Reply = {
    ...calling,
    message: { ...calling.message, content: calling.message.content.slice(1) },
  };
  const messages = [user("Build it."), ...roundsOf(10, 2_000)];
  let times = 0;
  const twice = await compact(messages, { ask: async () => (times++ === 0 ? silent : calling) });
  expect(words(twice.messages[1])).toContain("\n\nI call Read.\n\n");
  expect(twice.asked.length).toBe(2);
  await expect(compact(messages, { ask: async () => silent })).rejects.toMatchObject({ code: "empty" });
});

it("drops the middle of long texts, step by step, while the summary request is too long", async () => {
  const messages = [
    user("Build it."),
    ...round("call_big", "a".repeat(30_000)),
    ...round("call_write", "done", "Write", { file_path: "b", content: "b".repeat(20_000) }),
  ];
  const sizes: number[] = [];
  const { asked } = await compact(messages, {
    contextTokens: undefined,
    ask: async (request) => {
      const size = JSON.stringify(request.messages).length;
      sizes.push(size);
      if (size > 6_000) throw new ModelError("overflow", "too long");
      return replied("short");
    },
  });
  expect(sizes.map((size) => Math.round(size / 1_000))).toEqual([52, 18, 6]);
  const faults = asked.map(({ messages }) => checkHistory(messages));
  expect(faults).toEqual(asked.map(() => []));
  expect(asked.map(({ messages }) => words(messages[0]))).toEqual(asked.map(() => "Build it."));
});

it("drops old messages when even that is too long", async () => {
  const messages = [user("Build it."), ...roundsOf(200, 400)];
  const { asked } = await compact(messages, {
    contextTokens: undefined,
    ask: async (request) => {
      if (request.messages.length > 60) throw new ModelError("overflow", "too long");
      return replied("short");
    },
  });
  const last = asked.at(-1)?.messages ?? [];
  expect([words(last[0]), words(last[1]), checkHistory(last)]).toEqual([
    "Build it.",
    "[374 messages omitted]",
    [],
  ]);
});

it("sends no request that it knows to be too long", async () => {
  const messages = [user("Build it."), ...roundsOf(3, 20_000)];
  const { asked } = await compact(messages, { contextTokens: 10_000, tokensBefore: 15_000 });
  expect(asked.map(({ messages }) => JSON.stringify(messages).length < 40_000)).toEqual([true]);
});

it("fails before it asks the model when nearly everything has to be kept", async () => {
  const messages = [user("word ".repeat(8_000)), ...roundsOf(1, 100)];
  let times = 0;
  const ask = async () => {
    times += 1;
    return replied("short");
  };
  await expect(compact(messages, { ask })).rejects.toMatchObject({
    code: "overflow",
    message: "The conversation has about 9000 of 10000 tokens and cannot be compacted further.",
    hint: "Start a new session with a shorter task, or use a model with a larger context window.",
  });
  expect(times).toBe(0);
});

it("cuts a summary that repeats everything", async () => {
  const messages = [user("Build it."), ...roundsOf(10, 2_000)];
  const { messages: kept } = await compact(messages, { ask: async () => replied("summary ".repeat(10_000)) });
  expect(conversationTokens(kept)).toBeLessThanOrEqual(conversationTokens(messages) * 0.6);
  expect(words(kept[1])).toContain("[truncated]");
});

it("keeps the plan, also when it is compacted again", async () => {
  const tools = [{ name: "TodoWrite", canonical: "plan.update" }] as unknown as ModelRequest["tools"];
  const plan = { todos: [{ content: "test it", status: "pending" }] };
  const kept = `\n\nYour latest plan:\n${JSON.stringify(plan)}\n\n`;
  const first = await compact(
    [user("Build it."), ...round("call_plan", "ok", "TodoWrite", plan), ...roundsOf(10, 2_000)],
    { tools },
  );
  const again = await compact([...first.messages, ...roundsOf(20, 2_000).map(renamed)], { tools });
  expect([first, again].map(({ messages }) => words(messages[1]).includes(kept))).toEqual([true, true]);
});

it("leaves everything unchanged when it is aborted", async () => {
  const messages = [user("Build it."), ...roundsOf(10, 2_000)];
  const before = structuredClone(messages);
  const reason = new Error("stopped");
  await expect(compact(messages, { ask: () => Promise.reject(reason) })).rejects.toBe(reason);
  expect(messages).toEqual(before);
});

it("turns any conversation into one that a strict provider accepts, at most 60 % as long, or fails", {
  tags: "slow",
}, async () => {
  const size = fc.oneof({ weight: 5, arbitrary: fc.nat(200) }, fc.nat(20_000));
  const step = fc.oneof(
    fc.record({ kind: fc.constant("user" as const), size, isPinned: fc.boolean() }),
    fc.record({ kind: fc.constant("reply" as const), size, sizes: fc.array(size, { maxLength: 3 }) }),
  );
  const window = fc.option(fc.integer({ min: 500, max: 50_000 }), { nil: undefined });
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 25 }),
      window,
      fc.nat(5_000),
      async (steps, contextTokens, summary) => {
        const messages: Message[] = [user("task")];
        const pinned = new Set<Message>(messages);
        for (const each of steps) {
          const text = "word ".repeat(each.size / 5 + 1);
          const number = messages.length;
          if (each.kind === "user") {
            const question = user(text);
            messages.push(question);
            if (each.isPinned && each.size < 100) pinned.add(question);
            continue;
          }
          if (messages.at(-1)?.role === "assistant") messages.push(user("go on"));
          const calls = each.sizes.map((_, index) => `call_${number}_${index}`);
          messages.push({
            role: "assistant",
            model: "m",
            content: [
              { type: "text", text },
              ...calls.map((id) => ({
                type: "call" as const,
                id,
                name: "Read",
                input: { ok: true as const, value: {} },
              })),
            ],
          });
          if (calls.length === 0) continue;
          const answers = calls.map((id, index) => ({
            id,
            name: "Read",
            content: "a".repeat(each.sizes[index] ?? 0),
            isError: false,
            images: [],
          }));
          messages.push({ role: "tool", answers });
        }
        expect(checkHistory(messages)).toEqual([]);
        const before = structuredClone(messages);
        const faults: string[] = [];
        let times = 0;
        const ask = async (request: ModelRequest) => {
          times += 1;
          faults.push(...checkHistory(request.messages));
          const most = contextTokens ?? 30_000;
          if (conversationTokens(request.messages) > most) throw new ModelError("overflow", "too long");
          return replied("s".repeat(summary) || "s");
        };
        const tokensBefore = conversationTokens(messages);
        const result = await compact(messages, { contextTokens, tokensBefore, pinned, ask }).catch(
          (error: unknown) => error,
        );
        expect({ faults, isBounded: times <= 7, messages }).toEqual({
          faults: [],
          isBounded: true,
          messages: before,
        });
        if (result instanceof ModelError) {
          expect(result.code).toBe("overflow");
          return;
        }
        const kept = (result as { messages: readonly Message[] }).messages;
        expect(checkHistory(kept)).toEqual([]);
        expect(kept.filter((message) => pinned.has(message))).toEqual([...pinned]);
        expect(conversationTokens(kept)).toBeLessThanOrEqual(tokensBefore * 0.6);
      },
    ),
    { numRuns: rounds(60) },
  );
});

/** The same with other ids. */
function renamed(message: Message): Message {
  if (message.role === "user") return message;
  if (message.role === "tool")
    return {
      ...message,
      answers: message.answers.map((answer) => ({ ...answer, id: `${answer.id}_later` })),
    };
  return {
    ...message,
    content: message.content.map((part) =>
      part.type === "call" ? { ...part, id: `${part.id}_later` } : part,
    ),
  };
}
