import { expect, it } from "vitest";
import type { ProviderKind, SeenRequest } from "../providers/provider-server.ts";
import { sessionOnLoopback } from "./session-on-loopback.ts";

interface SentTool {
  readonly type?: string;
  readonly name?: string;
  readonly defer_loading?: boolean;
  readonly execution?: string;
}

const toolsOf = ({ body }: SeenRequest) => (body as { readonly tools: readonly SentTool[] }).tools;

/** Finds the clock and calls it; `finder` is the name of `tools.find` on the wire. */
async function findAndCall(kind: ProviderKind, model: string, finder: string) {
  const loopback = await sessionOnLoopback(
    [
      { calls: [{ name: finder, input: { query: "current time", limit: 1 } }] },
      { calls: [{ name: "time_now", input: {} }] },
      { text: "Done." },
    ],
    { kind, dialect: "toolcrib", server: { models: [model] } },
  );
  const { session, server, events } = loopback;
  const { outcome } = await session.run("What time is it?").result;
  const calls = events.flatMap((event) =>
    event.type === "tool-end" ? [[event.canonical, event.isError] as const] : [],
  );
  return { outcome, calls, requests: server.requests, faults: await loopback.close() };
}

const made = [
  ["tools.find", false],
  ["time.now", false],
];

it("defers tools at Anthropic, and answers tools.find with references", { tags: "slow" }, async () => {
  const { outcome, calls, requests, faults } = await findAndCall(
    "anthropic",
    "claude-sonnet-5-5",
    "tools_find",
  );
  expect([outcome, calls, faults]).toEqual(["completed", made, []]);
  const [first, second] = requests;
  const tools = toolsOf(first!);
  const names = (isDeferred: boolean) =>
    tools.filter((tool) => (tool.defer_loading ?? false) === isDeferred).map(({ name }) => name);
  expect(names(false)).toContain("tools_find");
  expect(names(false)).not.toContain("tools_call");
  expect(names(true)).toContain("time_now");
  const { messages } = second!.body as { readonly messages: readonly { readonly content: unknown }[] };
  expect(messages.at(-1)?.content).toEqual([
    expect.objectContaining({
      type: "tool_result",
      content: [{ type: "tool_reference", tool_name: "time_now" }],
    }),
  ]);
  // Everything that precedes the conversation stays the same, so the cache holds.
  expect(toolsOf(requests.at(-1)!)).toEqual(tools);
});

it("maps tools.find to OpenAI's tool_search of the client", async () => {
  const { outcome, calls, requests, faults } = await findAndCall("openai", "gpt-5.4", "tool_search");
  expect([outcome, calls, faults]).toEqual(["completed", made, []]);
  const [first, second] = requests;
  const tools = toolsOf(first!);
  expect(tools.filter(({ type }) => type === "tool_search")).toEqual([
    expect.objectContaining({ execution: "client", description: expect.stringContaining("Find more tools") }),
  ]);
  const names = tools.map(({ name }) => name);
  expect([names.includes("tools_find"), names.includes("tools_call"), names.includes("time_now")]).toEqual([
    false,
    false,
    false,
  ]);
  const { input } = second!.body as { readonly input: readonly object[] };
  expect(input.slice(-2)).toEqual([
    expect.objectContaining({
      type: "tool_search_call",
      execution: "client",
      arguments: { query: "current time", limit: 1 },
    }),
    expect.objectContaining({
      type: "tool_search_output",
      execution: "client",
      tools: [expect.objectContaining({ type: "function", name: "time_now", defer_loading: true })],
    }),
  ]);
  expect(toolsOf(requests.at(-1)!)).toEqual(tools);
});

it.each([
  ["anthropic", "claude-opus-4-1"],
  ["openai", "gpt-5"],
  ["openai-chat", "gpt-5.4"],
  ["google", "gemini-3-pro"],
  ["openrouter", "anthropic/claude-sonnet-5-5"],
] as const)("lists tools.find and tools.call at %s for %s, and defers nothing", async (kind, model) => {
  const { outcome, calls, requests, faults } = await findAndCall(kind, model, "tools_find");
  expect([outcome, calls, faults]).toEqual(["completed", made, []]);
  const [first, second] = requests;
  expect(first!.tools).toEqual(expect.arrayContaining(["tools_find", "tools_call"]));
  expect(JSON.stringify(first!.body)).not.toMatch(/defer_loading|tool_search/);
  expect(second!.messages.at(-1)?.text).toContain("time_now: ");
});

it("loads at OpenAI what a model of Anthropic has found", { tags: "slow" }, async () => {
  const anthropic = await sessionOnLoopback(
    [{ calls: [{ name: "tools_find", input: { query: "current time", limit: 1 } }] }, { text: "Found." }],
    { kind: "anthropic", dialect: "toolcrib" },
  );
  await anthropic.session.run("Find a clock.").result;
  const openai = await sessionOnLoopback([{ calls: [{ name: "time_now", input: {} }] }, { text: "Done." }], {
    dialect: "toolcrib",
    server: { models: ["gpt-5.4"] },
  });
  await anthropic.session.close();
  const resumed = await anthropic.again({
    resume: anthropic.session.id,
    model: openai.server.model,
    models: openai.server.settings,
  });
  const { outcome } = await resumed.run("What time is it?").result;
  const body = JSON.stringify(openai.server.requests[0]!.body);
  expect([outcome, body.includes('"type":"tool_search_output"')]).toEqual(["completed", true]);
  expect([await anthropic.close(), await openai.close()]).toEqual([[], []]);
});
