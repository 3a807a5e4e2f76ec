/** A Gemini model corrects a poem. */
import { type Content, GoogleGenAI } from "@google/genai";
import { answerGemini, geminiTools } from "toolcrib/google";
import { withFixture } from "../with-fixture.ts";
import { startProvider } from "./provider.ts";

await withFixture(async (crib) => {
  await using provider = await startProvider();
  const client = new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl: provider.url } });
  const contents: Content[] = [{ role: "user", parts: [{ text: "Correct the poem." }] }];
  for (;;) {
    const tools = await geminiTools(crib);
    const response = await client.models.generateContent({ model: "gemini", contents, config: { tools } });
    const answers = await answerGemini(crib, response.functionCalls);
    if (answers.length === 0) return response.text ?? "";
    contents.push(response.candidates![0]!.content!, { role: "user", parts: answers });
  }
});
