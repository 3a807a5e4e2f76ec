/** A model of OpenAI corrects a poem through the Responses API. */
import OpenAI from "openai";
import { answerResponses, responsesTools } from "toolcrib/openai";
import { withFixture } from "../with-fixture.ts";
import { startProvider } from "./provider.ts";

await withFixture(async (crib) => {
  await using provider = await startProvider();
  const client = new OpenAI({ baseURL: provider.url, apiKey: "none", maxRetries: 0 });
  const input: OpenAI.Responses.ResponseInput = [{ role: "user", content: "Correct the poem." }];
  for (;;) {
    const tools = await responsesTools(crib);
    const response = await client.responses.create({ model: "gpt-5", input, tools, store: false });
    const answers = await answerResponses(crib, response.output);
    if (answers.length === 0) return response.output_text;
    input.push(...(response.output as OpenAI.Responses.ResponseInput), ...answers);
  }
});
