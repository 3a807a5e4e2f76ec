import type { LanguageModelV4StreamPart, LanguageModelV4Usage } from "@ai-sdk/provider";
import { expect, it } from "vitest";
import { tools } from "../../../test/support/models/ask.ts";
import type { ModelEvent } from "../model.ts";
import { offerTools } from "./route.ts";
import { type Reading, readReply } from "./stream-reply.ts";

type Part = LanguageModelV4StreamPart;

const usage: LanguageModelV4Usage = {
  inputTokens: { total: 10, noCache: 5, cacheRead: 3, cacheWrite: 2 },
  outputTokens: { total: 7, text: 4, reasoning: 3 },
};
const counted = { input: 10, cached: 3, cacheWritten: 2, output: 7, reasoning: 3 };

it("gives parts unique ids, because providers may repeat theirs", async () => {
  const parts: Part[] = [
    { type: "text-start", id: "0" },
    { type: "text-delta", id: "0", delta: "One" },
    { type: "text-end", id: "0" },
    { type: "reasoning-start", id: "0" },
    { type: "reasoning-end", id: "0" },
    { type: "text-start", id: "0" },
    { type: "text-delta", id: "0", delta: "Two" },
  ];
  expect(await read([...parts, end("stop")])).toEqual([
    { type: "part-start", id: "text_1", part: "text" },
    { type: "part-delta", id: "text_1", text: "One" },
    { type: "part-end", id: "text_1" },
    { type: "part-start", id: "reasoning_2", part: "reasoning" },
    { type: "part-end", id: "reasoning_2" },
    { type: "part-start", id: "text_3", part: "text" },
    { type: "part-delta", id: "text_3", text: "Two" },
    { type: "part-end", id: "text_3" },
    { type: "finish", reason: "stop", usage: counted },
  ]);
});

it("starts a part for a delta without a start, and ignores an end without a start", async () => {
  const parts: Part[] = [
    { type: "text-end", id: "a" },
    { type: "text-delta", id: "b", delta: "So." },
  ];
  expect((await read([...parts, end("stop")])).map(({ type }) => type)).toEqual([
    "part-start",
    "part-delta",
    "part-end",
    "finish",
  ]);
});

it("merges the metadata of a part", async () => {
  const parts: Part[] = [
    { type: "reasoning-start", id: "r", providerMetadata: { a: { one: 1, two: 0 } } },
    { type: "reasoning-delta", id: "r", delta: "", providerMetadata: { a: { two: 2 } } },
    { type: "reasoning-end", id: "r", providerMetadata: { a: { three: 3 }, b: { four: 4 } } },
    ...textParts("So."),
  ];
  expect(await read([...parts, end("stop")])).toContainEqual({
    type: "part-end",
    id: "reasoning_1",
    meta: { a: { one: 1, two: 2, three: 3 }, b: { four: 4 } },
  });
});

it("passes on calls in order, and reports which of them cannot be read", async () => {
  const events = await read([
    call("1", '{"path":"a"}'),
    ...textParts("Between."),
    call("2", '{"path":'),
    call("3", '{"path":"c"}'),
    end("tool-calls"),
  ]);
  expect(gist(events)).toEqual([
    '1 {"path":"a"}',
    "Between.",
    "2 The arguments are not valid JSON: Unexpected end of JSON input",
    '3 {"path":"c"}',
    "finish calls",
  ]);
});

it("reports tool calls with any finish reason from the server", async () => {
  expect(gist(await read([call("1", "{}"), end("stop")]))).toEqual(["1 {}", "finish calls"]);
});

it.each(["length", "content-filter"] as const)("drops incomplete calls of a reply cut by %s", async (cut) => {
  const reason = cut === "length" ? "length" : "filtered";
  expect(gist(await read([call("1", '{"path":"a"}'), call("2", '{"pa'), end(cut)]))).toEqual([
    '1 {"path":"a"}',
    `finish ${reason}`,
  ]);
  expect(gist(await read([call("1", ""), call("2", "{}"), end(cut)]))).toEqual(["1 {}", `finish ${reason}`]);
  expect(gist(await read([call("1", "{}"), ...textParts("Then"), end(cut)]))).toEqual([
    "1 {}",
    "Then",
    `finish ${reason}`,
  ]);
});

it("removes nulls that only strict mode required", async () => {
  const events = await read([call("1", '{"path":"a","limit":null}'), end("tool-calls")], { isStrict: true });
  expect(gist(events)).toEqual(['1 {"path":"a"}', "finish calls"]);
});

it.each<[string, Part[], string]>([
  ["that stops without an end", textParts("Half"), "ended early"],
  ["that was interrupted", [...textParts("Half"), end("interrupted")], "ended early"],
  ["without a known finish reason", [...textParts("Half"), end("other")], "ended early"],
  ["with an unknown finish reason", [...textParts("Half"), end("other", "odd")], 'ended it with "odd"'],
  ["that failed", [...textParts("Half"), end("error", "failed")], 'ended it with "failed"'],
  ["that announces calls but contains none", [...textParts("Now:"), end("tool-calls")], "contains none"],
])("rejects as incomplete a reply %s", async (_, parts, message) => {
  await expect(read(parts)).rejects.toMatchObject({ code: "cut", message: expect.stringContaining(message) });
});

it("accepts other finish reasons of known servers", async () => {
  const otherEnds = new Set(["eos"]);
  expect(gist(await read([...textParts("All."), end("other", "EOS")], { otherEnds }))).toEqual([
    "All.",
    "finish stop",
  ]);
});

it.each<[string, Part[]]>([
  ["nothing", [end("stop")]],
  ["white space", [...textParts(" \n"), end("stop")]],
  ["thoughts", [{ type: "reasoning-delta", id: "r", delta: "Hm." }, end("stop")]],
])("rejects a reply that contains only %s", async (_, parts) => {
  await expect(read(parts)).rejects.toMatchObject({ code: "empty" });
});

it("throws an error inside the stream unchanged", async () => {
  const error = { type: "overloaded_error" };
  await expect(read([...textParts("Half"), { type: "error", error }, end("error")])).rejects.toBe(error);
});

it("reads nothing after the end", async () => {
  expect(gist(await read([...textParts("All."), end("stop"), ...textParts("More.")]))).toEqual([
    "All.",
    "finish stop",
  ]);
});

it("ignores parts that do not belong to the reply", async () => {
  const parts: Part[] = [
    { type: "stream-start", warnings: [{ type: "unsupported", feature: "topK" }] },
    { type: "response-metadata", id: "1" },
    { type: "raw", rawValue: 1 },
    { type: "ping" },
    { ...call("server", "{}"), providerExecuted: true } as Part,
    ...textParts("All."),
  ];
  const events = await read([...parts, end("stop")]);
  expect([events[0], gist(events)]).toEqual([
    { type: "warning", message: "topK: not supported by this model" },
    ["All.", "finish stop"],
  ]);
});

function textParts(text: string): Part[] {
  return [
    { type: "text-start", id: "t" },
    { type: "text-delta", id: "t", delta: text },
    { type: "text-end", id: "t" },
  ];
}

function call(toolCallId: string, input: string): Part {
  return { type: "tool-call", toolCallId, toolName: "read_file", input };
}

function end(unified: (Part & { type: "finish" })["finishReason"]["unified"], raw?: string): Part {
  return { type: "finish", usage, finishReason: { unified, raw } };
}

async function read(
  parts: readonly Part[],
  { isStrict = false, ...route }: { isStrict?: boolean; otherEnds?: ReadonlySet<string> } = {},
): Promise<ModelEvent[]> {
  const format = { toTool: toTool, isStrict };
  const reading: Reading = {
    offered: offerTools({ tools }, format),
    route: { ...route, tools: format },
    isNews: () => true,
  };
  const events: ModelEvent[] = [];
  for await (const event of readReply(stream(parts), reading)) events.push(event);
  return events;
}

function toTool({ name, inputSchema }: (typeof tools)[number]) {
  return { type: "function" as const, name, inputSchema };
}

async function* stream(parts: readonly Part[]) {
  yield* parts;
}

function gist(events: readonly ModelEvent[]): readonly string[] {
  return events.flatMap((event) => {
    switch (event.type) {
      case "part-delta":
        return [event.text];
      case "call": {
        const { id, input } = event.call;
        return [`${id} ${input.ok ? JSON.stringify(input.value) : input.problem}`];
      }
      case "finish":
        return [`finish ${event.reason}`];
      default:
        return [];
    }
  });
}
