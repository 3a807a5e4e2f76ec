/** A model corrects a poem through the AI SDK, which makes the calls itself. */
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, isStepCount } from "ai";
import { aiSdkTools } from "toolcrib/ai-sdk";
import { startProvider } from "../openai-chat/provider.ts";
import { withFixture } from "../with-fixture.ts";

await withFixture(async (crib) => {
  await using provider = await startProvider();
  const model = createOpenAI({ baseURL: provider.url, apiKey: "none" }).chat("any");
  const { text } = await generateText({
    model,
    prompt: "Correct the poem.",
    tools: await aiSdkTools(crib),
    stopWhen: isStepCount(10),
    maxRetries: 0,
  });
  return text;
});
