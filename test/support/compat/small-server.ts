/**
 * An MCP server on stdio with a few tools that return their names. Arguments: its name, then the names of its tools.
 * A call with `fail` is answered with an error; one with `end` ends the server.
 */
import { createInterface } from "node:readline";

const [name = "", ...tools] = process.argv.slice(2);
const inputSchema = {
  type: "object",
  properties: { text: { type: "string" }, fail: { type: "boolean" }, end: { type: "boolean" } },
};

const answers: Record<string, (parameters: Call) => unknown> = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name, version: "1.0.0" },
  }),
  ping: () => ({}),
  "tools/list": () => ({
    tools: tools.map((tool) => ({ name: tool, description: `${tool} of ${name}.`, inputSchema })),
  }),
  "tools/call": ({ name: tool, arguments: given = {} }) => {
    if (given.end) process.exit(1);
    return {
      content: [{ type: "text", text: `${tool} of ${name} says ${given.text}` }],
      ...(given.fail ? { isError: true } : {}),
    };
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const answer = answers[method];
  const outcome = answer
    ? { result: answer(params ?? {}) }
    : { error: { code: -32601, message: "no such method" } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...outcome })}\n`);
}

interface Call {
  readonly protocolVersion?: string;
  readonly name?: string;
  readonly arguments?: { readonly text?: string; readonly fail?: boolean; readonly end?: boolean };
}
