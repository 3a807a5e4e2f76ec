/** A model reads a file through the AI SDK. */
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, stepCountIs } from "ai";
import { openToolcrib } from "toolcrib";
import { aiSdkTools } from "toolcrib/ai-sdk";

const toolcrib = await openToolcrib({ workspace: "." });
const provider = createOpenAICompatible({
  name: "loopback",
  baseURL: process.env.MODEL_URL ?? "",
  apiKey: "none",
});
const { text, steps } = await generateText({
  model: provider("any"),
  prompt: "What is in poem.txt?",
  tools: await aiSdkTools(toolcrib),
  stopWhen: stepCountIs(5),
});
console.log(steps.length, text);
// prints: 2 It has two lines.
await toolcrib.close();
