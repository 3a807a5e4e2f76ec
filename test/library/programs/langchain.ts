/** A model reads a file through LangGraph. */
import { tool } from "@langchain/core/tools";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { ChatOpenAI } from "@langchain/openai";
import { openToolcrib } from "toolcrib";
import { langChainTools } from "toolcrib/langchain";

const toolcrib = await openToolcrib({ workspace: "." });
const llm = new ChatOpenAI({
  model: "any",
  apiKey: "none",
  configuration: { baseURL: process.env.MODEL_URL },
});
const agent = createReactAgent({ llm, tools: await langChainTools(toolcrib, { tool }) });
const { messages } = await agent.invoke({ messages: [{ role: "user", content: "What is in poem.txt?" }] });
console.log(messages.length, messages.at(-1)?.content);
// prints: 4 It has two lines.
await toolcrib.close();
