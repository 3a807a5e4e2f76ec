/** A model of Anthropic corrects a poem. */
import Anthropic from "@anthropic-ai/sdk";
import { answerMessages, messagesTools } from "toolcrib/anthropic";
import { withFixture } from "../with-fixture.ts";
import { startProvider } from "./provider.ts";

await withFixture(async (crib) => {
  await using provider = await startProvider();
  const client = new Anthropic({ baseURL: provider.url, apiKey: "none", maxRetries: 0 });
  const messages: Anthropic.MessageParam[] = [{ role: "user", content: "Correct the poem." }];
  for (;;) {
    const tools = await messagesTools(crib);
    const message = await client.messages.create({ model: "claude", max_tokens: 1000, messages, tools });
    const answers = await answerMessages(crib, message);
    if (answers.length === 0)
      return message.content.map((block) => (block.type === "text" ? block.text : "")).join("");
    messages.push({ role: "assistant", content: message.content }, { role: "user", content: answers });
  }
});
