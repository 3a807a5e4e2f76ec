/** Claude Code reads a file with Toolcrib's tools. */
import { query } from "@anthropic-ai/claude-agent-sdk";
import { openToolcrib } from "toolcrib";
import { claudeAgentOptions } from "toolcrib/claude-agent-sdk";

const toolcrib = await openToolcrib({ workspace: "." });
const env = {
  ...process.env,
  ANTHROPIC_BASE_URL: process.env.CLAUDE_URL,
  ANTHROPIC_API_KEY: "none",
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
};
const options = { ...(await claudeAgentOptions(toolcrib)), env, persistSession: false };
for await (const message of query({ prompt: "What is in poem.txt?", options }))
  if (message.type === "result" && message.subtype === "success")
    console.log(message.num_turns, message.result);
// prints: 2 It has two lines.
console.log(
  toolcrib
    .log()
    .map(({ tool }) => tool)
    .join(),
);
// prints: file.read
await toolcrib.close();
