import { Agent } from "@mastra/core/agent";
import { aiSdkTools } from "toolcrib/ai-sdk";
import { expect, it } from "vitest";
import { chatModel, openProject } from "./chat.ts";

it("an agent of Mastra makes the calls with the tools of the AI SDK", async () => {
  await using project = await openProject({ mode: "cautious" });
  await using model = await chatModel([[["file_read", { path: "poem.txt" }]], "Done."]);
  const agent = new Agent({
    id: "poet",
    name: "Poet",
    instructions: "Read.",
    model: { id: "loopback/any", url: model.url, apiKey: "none" },
    tools: await aiSdkTools(project.toolcrib),
  });
  const { text } = await agent.generate("Go.");
  expect([text, JSON.stringify(model.requests[1])]).toEqual(["Done.", expect.stringContaining("1 | one")]);
});
