/** A model reads a file through the OpenAI Agents SDK. */
import { Agent, OpenAIChatCompletionsModel, Runner } from "@openai/agents";
import OpenAI from "openai";
import { openToolcrib } from "toolcrib";
import { openAiAgentsTools } from "toolcrib/openai-agents";

const toolcrib = await openToolcrib({ workspace: "." });
const client = new OpenAI({ baseURL: process.env.MODEL_URL, apiKey: "none" });
const agent = new Agent({
  name: "Reader",
  instructions: "Answer briefly.",
  model: new OpenAIChatCompletionsModel(client, "any"),
  tools: await openAiAgentsTools(toolcrib),
});
const { finalOutput } = await new Runner({ tracingDisabled: true }).run(agent, "What is in poem.txt?");
console.log(finalOutput);
// prints: It has two lines.
await toolcrib.close();
