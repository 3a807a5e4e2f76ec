// A model on this machine that can only add two numbers. It speaks OpenAI's chat API, so fleets can be tried without a key.
import { createServer } from "node:http";

const port = Number(process.env.PORT ?? 8123);

const server = createServer(async (request, response) => {
  if (request.method === "GET") {
    response.setHeader("content-type", "application/json");
    return response.end(JSON.stringify({ object: "list", data: [{ id: "adder", object: "model" }] }));
  }
  let body = "";
  for await (const chunk of request) body += chunk;
  const { messages, tools = [] } = JSON.parse(body);
  response.setHeader("content-type", "text/event-stream");
  for (const event of reply(messages, tools)) response.write(`data: ${JSON.stringify(event)}\n\n`);
  response.end("data: [DONE]\n\n");
});

server.listen(port, "127.0.0.1", () =>
  console.log(`The model adder answers at http://127.0.0.1:${server.address().port}/v1`),
);

/** Calls the tool that writes files, then ends its turn. Gets the task sum-5 wrong, as models do. */
function reply(messages, tools) {
  const usage = { prompt_tokens: 1000, completion_tokens: 50, total_tokens: 1050 };
  if (messages.at(-1).role === "tool") return chunks({ content: "I wrote answer.txt." }, "stop", usage);
  const [, first, second] = /sum of (\d+) and (\d+)/.exec(JSON.stringify(messages.at(-1))) ?? [];
  const write = tools.find((tool) => /write/.test(tool.function.name))?.function;
  if (first === undefined || write === undefined)
    return chunks({ content: "I can only add." }, "stop", usage);
  const sum = Number(first) + Number(second) + (first === "41" ? 1 : 0);
  const call = { name: write.name, arguments: JSON.stringify({ path: "answer.txt", content: `${sum}\n` }) };
  return chunks(
    { tool_calls: [{ index: 0, id: `call_${first}_${second}`, type: "function", function: call }] },
    "tool_calls",
    usage,
  );
}

function chunks(delta, reason, usage) {
  const chunk = { id: "chat", object: "chat.completion.chunk", created: 0, model: "adder" };
  return [
    { ...chunk, choices: [{ index: 0, delta: { role: "assistant", ...delta }, finish_reason: null }] },
    { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: reason }] },
    { ...chunk, choices: [], usage },
  ];
}
