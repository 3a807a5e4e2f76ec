import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, request as forward } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pipeline } from "node:stream";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { serveHttp } from "../../src/mcp/server/http/serve-http.ts";
import { openToolcrib } from "../../src/toolcrib/index.ts";
import { clientOptions } from "../support/mcp/client-fixture.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { emptySource } from "../support/tool-source.ts";
import { fixtureTools, passingTool } from "./fixture-tools.ts";

export interface ServedFixtures {
  readonly url: string;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Our server over HTTP as users start it, with the suite's tools in its instances. */
export async function servedFixtures(): Promise<ServedFixtures> {
  const folder = temporaryFolder();
  const workspace = join(folder.path, "work");
  mkdirSync(join(workspace, ".claude/commands"), { recursive: true });
  for (const [name, text] of Object.entries(commands))
    writeFileSync(join(workspace, ".claude/commands", `${name}.md`), text);
  const front = await withToken(() => served.port);
  const served = await serveHttp({
    // The suite expects that a page of the server's own address may use it, which must be configured.
    allowedOrigins: [`http://127.0.0.1:${front.port}`, `http://localhost:${front.port}`],
    prompts: { configDirectory: join(folder.path, "config") },
    token,
    port: 0,
    // The suite expects tasks of jobs that take one second.
    taskAfterMs: 300,
    open: async () => {
      const source = emptySource();
      return openToolcrib({
        workspace,
        sources: [source],
        tools: fixtureTools(() => source.put(source.tools.length === 0 ? [passingTool] : [])),
        pendingApprovals: true,
        stateDirectory: join(folder.path, "state"),
        configDirectory: join(folder.path, "config"),
      });
    },
  });
  const url = `http://127.0.0.1:${front.port}/mcp`;
  await keepAnOutput(url);
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      front.close();
      await served.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** The prompts that the suite gets by name, as commands of the project. */
const commands = {
  test_simple_prompt: "This is a simple prompt for testing.",
  test_prompt_with_arguments:
    "---\ndescription: A prompt with two arguments\nargument-hint: [arg1] [arg2]\n---\nPrompt with arguments: arg1='$1', arg2='$2'",
};

/** Creates a resource to list and read. */
async function keepAnOutput(url: string): Promise<void> {
  const client = new Client({ name: "fixtures", version: "1" }, clientOptions("2026-07-28"));
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  await client.callTool({ name: "test_long_output", arguments: {} });
  await client.close();
}

const token = "a-token-the-suite-cannot-send";

/** Forwards everything unchanged and adds the token, because the suite cannot send one. */
async function withToken(portOf: () => number): Promise<{ readonly port: number; close(): void }> {
  const server = createServer((request, response) => {
    const headers = { ...request.headers, authorization: `Bearer ${token}` };
    const { method, url: path } = request;
    const onward = forward(
      { host: "127.0.0.1", port: portOf(), method, path, headers, setHost: false },
      (answer) => {
        response.writeHead(answer.statusCode!, answer.headers);
        response.flushHeaders();
        pipeline(answer, response, () => {});
      },
    );
    onward.on("error", () => response.destroy());
    response.on("close", () => onward.destroy());
    request.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
