import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { clientFixture, eras, resultOf } from "../../../test/support/mcp/client-fixture.ts";
import { randomLetters } from "../../../test/support/policy/random-letters.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { connectHub } from "../hub/connect-hub.ts";

const token = `ghp_${randomLetters()("[A-Za-z0-9]", 36)}`;
const mark = "[redacted: GitHub token]";

const results: Readonly<Record<string, object>> = {
  report: {
    content: [
      { type: "text", text: "Two issues." },
      { type: "resource_link", uri: "issue://1", name: "One", mimeType: "text/plain", size: 12, icons: [] },
      { type: "resource_link", uri: `issue://2?token=${token}`, name: "Two\u001b[2J", description: token },
      { type: "resource_link", name: "no address" },
    ],
    structuredContent: { issues: [{ id: 1, body: `see ${token}` }], [token]: "a\u001b[2Jb" },
  },
  long: {
    content: [{ type: "text", text: "short" }],
    structuredContent: { all: "x".repeat(40_000) },
  },
};

/** A server of another program, reached over HTTP on this machine. */
async function otherServer() {
  const server = createServer(async (request, response) => {
    const { id, method, params } = JSON.parse((await text(request)) || "{}");
    if (id === undefined) return response.writeHead(request.method === "POST" ? 202 : 405).end();
    const result =
      method === "initialize"
        ? {
            protocolVersion: "2025-06-18",
            capabilities: { tools: {} },
            serverInfo: { name: "o", version: "1" },
          }
        : method === "tools/list"
          ? { tools: Object.keys(results).map((name) => ({ name, inputSchema: { type: "object" } })) }
          : results[params.name];
    return response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify({ jsonrpc: "2.0", id, result }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe.each(eras)("a client of %s that calls a tool of another server", (era) => {
  it("gets structured content and resource links, without secrets and control characters", async () => {
    await using other = await otherServer();
    await using folder = temporaryFolder();
    const servers = { other: { url: other.url, protocol: "2025" as const } };
    const hub = connectHub({ workspace: folder.path, servers, stateDirectory: folder.path });
    await using fixture = await clientFixture({ era, mode: "yolo", sources: [hub] });
    await hub.ready;
    const direct = resultOf(await fixture.client.callTool({ name: "report", arguments: {} }));
    const indirect = resultOf(
      await fixture.client.callTool({ name: "tools_call", arguments: { name: "report", arguments: {} } }),
    );
    expect(direct).toEqual({
      content: [
        { type: "text", text: expect.stringMatching(/^Two issues\.\n\[resource issue:\/\/1, One\]/) },
        {
          type: "resource_link",
          uri: "toolcrib://server/other/issue://1",
          name: "One",
          mimeType: "text/plain",
          size: 12,
        },
        {
          type: "resource_link",
          uri: `toolcrib://server/other/issue://2?token=${mark}`,
          name: "Two",
          description: mark,
        },
      ],
      structuredContent: { issues: [{ id: 1, body: `see ${mark}` }], [mark]: "ab" },
    });
    expect(indirect).toEqual(direct);
    expect(JSON.stringify(direct)).not.toContain(token);
    // Clients show structured content instead of the text, so a long one would exceed what they accept.
    expect(resultOf(await fixture.client.callTool({ name: "long", arguments: {} }))).toEqual({
      content: [{ type: "text", text: "short" }],
    });
  });
});
