/** An agent of Mastra reads a file. */
import { Agent } from "@mastra/core/agent";
import { openToolcrib } from "toolcrib";
import { aiSdkTools } from "toolcrib/ai-sdk";

const toolcrib = await openToolcrib({ workspace: "." });
const agent = new Agent({
  id: "reader",
  name: "Reader",
  instructions: "Read what the user names.",
  model: { id: "loopback/any", url: process.env.MODEL_URL ?? "", apiKey: "none" },
  tools: await aiSdkTools(toolcrib),
});
const { text, steps } = await agent.generate("What is in poem.txt?");
console.log(steps.length, text);
// prints: 2 It has two lines.
await toolcrib.close();
