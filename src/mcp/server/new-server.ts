import { type JsonSchemaValidator, type jsonSchemaValidator, Server } from "@modelcontextprotocol/server";
import { toMcp } from "../../wire/mcp.ts";
import type { ServerIdentity } from "../types.ts";
import { ApprovalQuestions } from "./approvals.ts";
import { abilitiesOf, callTool } from "./call-tool.ts";
import { listOutputs, outputTemplate, readOutput } from "./outputs.ts";
import type { ServedToolcrib } from "./served-toolcrib.ts";

export interface ServerParts extends ServerIdentity {
  readonly toolcrib: ServedToolcrib;
  readonly questions?: ApprovalQuestions;
}

/**
 * Creates the server of one connection or request. This is cheap, because the served instance holds all state. The
 * server answers `initialize` before the instance is open.
 */
export function newServer({
  toolcrib: served,
  version,
  instructions,
  questions = new ApprovalQuestions(),
}: ServerParts): Server {
  const server = new Server(
    { name: "toolcrib", title: "Toolcrib", version },
    {
      capabilities: { tools: { listChanged: true }, resources: {} },
      instructions,
      cacheHints,
      jsonSchemaValidator: checksNothing,
      requestState: { verify: (state, context) => questions.verify(state, context) },
    },
  );
  server.setRequestHandler("tools/list", async () => ({ tools: (await served.definitions()).map(toMcp) }));
  server.setRequestHandler("tools/call", ({ params: { name, arguments: input = {} } }, context) =>
    served.busy(() =>
      callTool({ name, input }, { served, questions }, abilitiesOf(server, context), context),
    ),
  );
  server.setRequestHandler("resources/list", () => ({ resources: listOutputs(served) }));
  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: [outputTemplate] }));
  server.setRequestHandler("resources/read", ({ params: { uri } }) => readOutput(served, uri));
  return server;
}

/** The SDK's validator is slow to create and not needed: the pipeline validates. */
const checksNothing: jsonSchemaValidator = {
  getValidator<Value>(): JsonSchemaValidator<Value> {
    return (data) => ({ valid: true, data: data as Value, errorMessage: undefined });
  },
};

/** Clients may cache lists, because changes are notified, and stored outputs, which never change. */
const cacheHints = {
  "tools/list": { ttlMs: 60_000, cacheScope: "private" },
  "resources/read": { ttlMs: 600_000, cacheScope: "private" },
  "server/discover": { ttlMs: 600_000, cacheScope: "private" },
} as const;
