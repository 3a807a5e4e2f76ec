import { request as httpRequest } from "node:http";
import { describe, expect, it, vi } from "vitest";
import { eras, resultOf } from "../../../../test/support/mcp/client-fixture.ts";
import { headers, httpFixture, initialize } from "../../../../test/support/mcp/http-fixture.ts";
import { serveHttp } from "./serve-http.ts";

/** Comes with the servers that we are compared with. */
async function earlierSdk() {
  const [client, http] = ["index", "streamableHttp"].map(
    (name) => `@modelcontextprotocol/sdk/client/${name}.js`,
  );
  const loaded = { ...(await import(client!)), ...(await import(http!)) };
  return loaded as Pick<
    typeof import("@modelcontextprotocol/client"),
    "Client" | "StreamableHTTPClientTransport"
  >;
}

const read = { name: "file_read", arguments: { path: "a.txt" } };
const closedInstance = { error: { code: "unavailable", message: "This Toolcrib is closed" } };
describe.each(eras)("a client with %s", (era) => {
  it("lists and calls tools", async () => {
    await using fixture = await httpFixture();
    const { client } = await fixture.connect(era);
    const { tools } = await client.listTools();
    expect([tools.some(({ name }) => name === "file_read"), resultOf(await client.callTool(read))]).toEqual([
      true,
      { content: [{ type: "text", text: "1 | one" }] },
    ]);
  });

  it("asks its user", async () => {
    await using fixture = await httpFixture();
    const { client } = await fixture.connect(era, { elicitation: {} });
    client.setRequestHandler("elicitation/create", () => ({ action: "accept", content: { answer: "once" } }));
    const result = await client.callTool({ name: "file_delete", arguments: { path: "a.txt" } });
    expect(resultOf(result)).toEqual({
      content: [{ type: "text", text: "Deleted the file a.txt (4 bytes)." }],
    });
  });

  it("is served concurrently with others", { tags: "slow" }, async () => {
    await using fixture = await httpFixture();
    const clients = await Promise.all(Array.from({ length: 8 }, () => fixture.connect(era)));
    const answers = await Promise.all(
      clients.flatMap(({ client }) => Array.from({ length: 10 }, () => client.callTool(read))),
    );
    expect(new Set(answers.map((answer) => JSON.stringify(resultOf(answer)))).size).toBe(1);
    expect(fixture.instances.length).toBe(era === "2025-11-25" ? 8 : 1);
  });
});

it("serves the older SDK that most clients still use", async () => {
  await using fixture = await httpFixture();
  const { Client, StreamableHTTPClientTransport } = await earlierSdk();
  const client = new Client({ name: "earlier", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(fixture.url), { requestInit: { headers } }));
  expect(await client.callTool(read)).toEqual({ content: [{ type: "text", text: "1 | one" }] });
  await client.close();
});

it("has no OAuth metadata, with or without the token", async () => {
  await using fixture = await httpFixture();
  const { origin } = new URL(fixture.url);
  const metadata = ["oauth-protected-resource", "oauth-protected-resource/mcp", "oauth-authorization-server"];
  const statuses = await Promise.all(
    metadata.flatMap((name) =>
      [headers, {}].map(async (sent) => {
        const { status } = await fetch(`${origin}/.well-known/${name}`, { headers: sent });
        return status;
      }),
    ),
  );
  const evil = await fetch(`${origin}/.well-known/${metadata[0]}`, {
    headers: { origin: "https://evil.example" },
  });
  expect([new Set(statuses), evil.status, (await fetch(fixture.url)).status]).toEqual([
    new Set([404]),
    403,
    401,
  ]);
});

it("keeps a session, its instance and its missed events across broken connections", async () => {
  await using fixture = await httpFixture();
  const { client, transport } = await fixture.connect("2025-11-25");
  const session = transport.sessionId;
  await client.callTool(read);
  await transport.close();
  const again = await fixture.post(
    { jsonrpc: "2.0", id: 7, method: "tools/call", params: read },
    { "mcp-session-id": session!, "mcp-protocol-version": "2025-11-25" },
  );
  expect([again.status, await again.text(), fixture.instances.length]).toEqual([
    200,
    expect.stringContaining('"text":"1 | one"'),
    1,
  ]);
  expect(fixture.instances[0]!.log().map(({ tool }) => tool)).toEqual(["file.read", "file.read"]);
});

it("ends a deleted session, and reports that to clients still using it", async () => {
  await using fixture = await httpFixture();
  const { client, transport } = await fixture.connect("2025-11-25");
  await client.callTool(read);
  const session = transport.sessionId!;
  await transport.terminateSession();
  const { status } = await fixture.post(
    { jsonrpc: "2.0", id: 7, method: "tools/list" },
    { "mcp-session-id": session, "mcp-protocol-version": "2025-11-25" },
  );
  expect(status).toBe(404);
  await vi.waitFor(
    async () => expect(await fixture.instances[0]!.call("time.now", {})).toMatchObject(closedInstance),
    { timeout: 60_000 },
  );
});

it("ends one session by the id of its instance, and never the one that clients share", async () => {
  await using fixture = await httpFixture();
  const one = await fixture.connect("2025-11-25");
  await one.client.callTool(read);
  const other = await fixture.connect("2025-11-25");
  await other.client.callTool(read);
  const modern = await fixture.connect("2026-07-28");
  await modern.client.callTool(read);
  const [first, , shared] = fixture.instances.map(({ session }) => session);
  const ends = [];
  for (const session of [first!, first!, shared!, "session_unknown"])
    ends.push(await fixture.endSession(session));
  expect(ends).toEqual([true, false, false, false]);
  expect(await fixture.instances[0]!.call("time.now", {})).toMatchObject(closedInstance);
  const { status } = await fixture.post(
    { jsonrpc: "2.0", id: 7, method: "tools/list" },
    { "mcp-session-id": one.transport.sessionId!, "mcp-protocol-version": "2025-11-25" },
  );
  expect(status).toBe(404);
  for (const { client } of [other, modern]) expect((await client.callTool(read)).isError).toBeFalsy();
});

it("replaces the longest idle session with a new one", async () => {
  await using fixture = await httpFixture({ maxSessions: 2 });
  const sessions: string[] = [];
  for (let count = 0; count < 3; count += 1) {
    const response = await fixture.post(initialize);
    await response.text();
    sessions.push(response.headers.get("mcp-session-id")!);
  }
  const statuses = await Promise.all(
    sessions.map(async (session) => {
      const ping = { jsonrpc: "2.0", id: 2, method: "ping" };
      const { status } = await fixture.post(ping, {
        "mcp-session-id": session,
        "mcp-protocol-version": "2025-11-25",
      });
      return status;
    }),
  );
  expect(statuses).toEqual([404, 200, 200]);
});

it("ends unused sessions, also when one was refused a second stream", { tags: "slow" }, async () => {
  await using fixture = await httpFixture({ idleMs: 2_000 });
  const { client, transport } = await fixture.connect("2025-11-25");
  await client.callTool(read);
  const session = { "mcp-session-id": transport.sessionId!, accept: "text/event-stream" };
  const listen = async () => {
    const { status, body } = await fetch(fixture.url, { headers: { ...headers, ...session } });
    await body?.cancel();
    return status;
  };
  await vi.waitFor(async () => expect(await listen()).toBe(409), 60_000);
  await transport.close();
  await vi.waitFor(
    async () => expect(await fixture.instances[0]!.call("time.now", {})).toMatchObject(closedInstance),
    60_000,
  );
});

it("opens a stream at once, and again when its connection breaks", async () => {
  await using fixture = await httpFixture();
  const opened = await fixture.post(initialize);
  await opened.body?.cancel();
  const session = { "mcp-session-id": opened.headers.get("mcp-session-id")!, accept: "text/event-stream" };
  const listen = async (signal: AbortSignal) =>
    (await fetch(fixture.url, { headers: { ...headers, ...session }, signal })).status;
  const connection = new AbortController();
  const first = [await listen(connection.signal), await listen(connection.signal)];
  connection.abort();
  expect(first).toEqual([200, 409]);
  const later = new AbortController();
  await vi.waitFor(async () => expect(await listen(later.signal)).toBe(200), 60_000);
  later.abort();
});

it("refuses requests without exactly its token", async () => {
  await using fixture = await httpFixture();
  const token = headers.authorization.slice("Bearer ".length);
  const wrong = [
    "Bearer",
    "Bearer ",
    `Bearer ${token.slice(1)}`,
    `Bearer ${token}2`,
    `Basic ${token}`,
    token,
  ];
  const statuses = await Promise.all(
    wrong.map(async (authorization) => (await fixture.post(initialize, { authorization })).status),
  );
  const query = await fetch(`${fixture.url}?access_token=${token}`);
  expect([
    new Set(statuses),
    query.status,
    await query.json(),
    query.headers.get("www-authenticate"),
  ]).toEqual([
    new Set([401]),
    401,
    {
      jsonrpc: "2.0",
      error: { code: -32000, message: "Send the server's token: Authorization: Bearer TOKEN" },
      id: null,
    },
    'Bearer realm="toolcrib"',
  ]);
});

it("does not start with an empty token, which every request would have", async () => {
  const open = () => Promise.reject(new Error("opened"));
  const oauth = { issuer: "https://login.example" };
  for (const options of [{ token: "" }, { token: "", oauth }, {}])
    await expect(serveHttp({ ...options, port: 0, open })).rejects.toMatchObject({
      code: "invalid-input",
      message: "serveHttp needs a token or an OAuth issuer",
    });
});

it("refuses unauthorized requests before reading their body", async () => {
  await using fixture = await httpFixture();
  const status = (options: { headers: Record<string, string>; path?: string }) =>
    new Promise<number | undefined>((resolve) => {
      const { port, hostname } = new URL(fixture.url);
      const sent = httpRequest({ host: hostname, port, path: "/mcp", method: "POST", ...options });
      sent.on("response", (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.on("error", () => resolve(undefined));
      sent.end(JSON.stringify(initialize));
    });
  expect([
    await status({ headers: {} }),
    await status({ headers: { authorization: "Bearer wrong" } }),
    await status({ headers: { ...headers, host: "evil.example" } }),
    await status({ headers: { ...headers, origin: "https://evil.example" } }),
    await status({ headers, path: "/other" }),
    fixture.instances.length,
  ]).toEqual([401, 401, 403, 403, 404, 0]);
});

it("refuses bodies that are too large, not JSON or not a request, and keeps serving", async () => {
  await using fixture = await httpFixture({ maxBodyBytes: 10_000 });
  const statuses = [];
  for (const body of ["x".repeat(20_000), "{", "[]", "42", { jsonrpc: "2.0", id: 1, method: "tools/list" }]) {
    const response = await fixture.post(body);
    await response.text();
    statuses.push(response.status);
  }
  const { client } = await fixture.connect("2025-11-25");
  expect([statuses, (await client.listTools()).tools.length > 0]).toEqual([[413, 400, 400, 400, 400], true]);
});

it("ends running calls when it is closed", async () => {
  await using fixture = await httpFixture();
  const { client } = await fixture.connect("2025-11-25");
  await client.callTool(read);
  await fixture.close();
  expect(await fixture.instances[0]!.call("time.now", {})).toMatchObject(closedInstance);
  await expect(fetch(fixture.url)).rejects.toThrow();
});
