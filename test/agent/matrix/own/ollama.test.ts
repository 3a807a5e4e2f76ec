import { expect, it } from "vitest";
import { createSession } from "../../../../src/agent/create-session.ts";
import type { Json } from "../../../providers/json.ts";
import { started } from "../../../providers/started.ts";
import { completed, openStage } from "../stage.ts";
import { picture, sideOf } from "./side.ts";

const side = sideOf("ollama");

it.each([undefined, "I run it."])(
  "is told of a call that the server could not read, without a retry: %s",
  async (text) => {
    const stage = await openStage(side, (words) => {
      const call = words.shell("echo one >> log.txt");
      return [
        { ...(text && { text }), calls: [{ ...call, raw: '{"command": echo' }] },
        { calls: [call] },
        { text: "Done." },
      ];
    });
    const { outcome, text: reply, calls } = await stage.ask("Do it");
    expect({ outcome, reply, calls }).toEqual({ outcome: "completed", reply: "Done.", calls: 1 });
    expect(stage.file("log.txt")).toBe("one\n");
    expect(stage.server.requests[1]!.messages.at(-1)).toEqual({
      role: "user",
      text: expect.stringContaining("error parsing tool call"),
    });
    expect(stage.events.filter(({ type }) => type === "retry")).toEqual([]);
  },
);

it("sets the context length, and warns the user when the server has read less", async () => {
  const stage = await openStage(
    side,
    (words) => [
      { calls: [words.read("long.txt")], usage: { input: 9_000 } },
      { text: "I have read it.", usage: { input: 700 } },
    ],
    { files: { "long.txt": "a line of a text that is rather long\n".repeat(800) } },
  );
  expect(await stage.ask("Read it")).toEqual(completed("I have read it.", { rounds: 2, calls: 1 }));
  const instances = stage.server.requests.map(({ body }) => (body as Json).options.num_ctx);
  expect(instances).toEqual([32_768, 32_768]);
  const warnings = stage.events.flatMap((event) => (event.type === "warning" ? [event.message] : []));
  expect(warnings).toEqual([expect.stringMatching(/^Ollama read only 700 of 32768 tokens/)]);
});

it("uses actions for a model without tool calls", async () => {
  const stage = await openStage(
    side,
    (words) => {
      const { name: tool, input: args } = words.shell("echo one >> log.txt");
      return [
        { text: JSON.stringify({ action: "tool_call", tool, args }) },
        { text: JSON.stringify({ action: "done", summary: "Done." }) },
      ];
    },
    { served: ["gemma3:4b"], protocol: undefined },
  );
  expect(stage.session.protocol).toBe("text");
  expect(await stage.ask("Do it")).toEqual(completed("Done.", { rounds: 2, calls: 1 }));
  expect(stage.file("log.txt")).toBe("one\n");
});

it("sends the effort to models that support it", async () => {
  const stage = await openStage(
    side,
    (words) => [
      { reasoning: "Easy.", calls: [words.shell("echo one")] },
      { reasoning: "Hm.", text: "Done." },
      { reasoning: "Well.", text: "Done again." },
    ],
    { served: ["gpt-oss:20b"], reasoning: "low" },
  );
  expect(await stage.ask("Do it")).toEqual(completed("Done.", { rounds: 2, calls: 1 }));
  await stage.session.use({ reasoning: "high" });
  expect(await stage.ask("Again")).toEqual(completed("Done again.", { turn: 2, rounds: 1, calls: 0 }));
  expect(stage.server.requests.map(({ reasoning }) => reasoning)).toEqual(["low", "low", "high"]);
});

it.each([
  ["qwen3-vl:8b", true],
  ["qwen3:8b", false],
])("sends images to %s: %s", async (model, isShown) => {
  const stage = await openStage(side, (words) => [{ calls: [words.read("red.png")] }, { text: "Red." }], {
    files: { "red.png": picture },
    served: [model],
  });
  expect(await stage.ask("What colour?")).toEqual(completed("Red.", { rounds: 2, calls: 1 }));
  const { messages } = stage.server.requests[1]!.body as Json;
  expect(messages.some(({ images }: Json) => images?.length === 1)).toBe(isShown);
});

it("retries when the server is busy", async () => {
  const busy = {
    status: 503,
    body: { error: "server busy, please try again.  maximum pending requests exceeded" },
  };
  const stage = await openStage(side, () => [{ fault: busy }, { text: "Here." }]);
  expect(await stage.ask("Speak")).toEqual(completed("Here.", { rounds: 1, calls: 0 }));
  const retries = stage.events.filter((event) => event.type === "retry");
  expect(retries.map(({ code }) => code)).toEqual(["server"]);
});

it("explains how to get a missing model", async () => {
  const server = await started("ollama", []);
  const opened = createSession({ model: "ollama/none", models: server.settings });
  await expect(opened).rejects.toMatchObject({
    message: expect.stringContaining("none"),
    hint: expect.stringContaining("ollama pull none"),
  });
});
