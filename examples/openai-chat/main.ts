/** A model corrects a poem through the Chat Completions API, which many servers offer. */
import OpenAI from "openai";
import { answerChat, chatTools } from "toolcrib/openai";
import { withFixture } from "../with-fixture.ts";
import { startProvider } from "./provider.ts";

await withFixture(async (crib) => {
  await using provider = await startProvider();
  const client = new OpenAI({ baseURL: provider.url, apiKey: "none", maxRetries: 0 });
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: "Correct the poem." }];
  for (;;) {
    const tools = await chatTools(crib);
    const completion = await client.chat.completions.create({ model: "any", messages, tools });
    const { message } = completion.choices[0]!;
    const answers = await answerChat(crib, message);
    if (answers.length === 0) return message.content ?? "";
    messages.push(message, ...answers);
  }
});
