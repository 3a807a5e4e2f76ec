import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { getRequestListener } from "@hono/node-server";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Hono } from "hono";
import { describe, expect, it, vi } from "vitest";
import { clientOptions, type Era, eras, resultOf } from "../../../../test/support/mcp/client-fixture.ts";
import { initialize } from "../../../../test/support/mcp/http-fixture.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { openToolcrib, type Toolcrib } from "../../../toolcrib/index.ts";
import { type HttpHandler, type HttpHandlerOptions, newHttpHandler } from "./new-handler.ts";

/** The users of a server, by their tokens. */
const users: Readonly<Record<string, string>> = { "Bearer 1": "ada", "Bearer 2": "bob" };
const userOf = (authorization: string | null | undefined) => users[authorization ?? ""];

/** The ways in which a server passes requests on. */
const servers: Readonly<Record<string, (mcp: HttpHandler) => RequestListener>> = {
  "node:http": (mcp) => (request, response) =>
    void mcp.listener(request, response, { tenant: userOf(request.headers.authorization) }),
  "node:http after a body parser":
    (mcp) => async (request: IncomingMessage & { body?: unknown }, response) => {
      if (request.method === "POST") request.body = await json(request);
      await mcp.listener(request, response, { tenant: userOf(request.headers.authorization) });
    },
  "node:http with the parsed body": (mcp) => async (request, response) => {
    const body = request.method === "POST" ? await json(request) : undefined;
    await mcp.listener(request, response, { tenant: userOf(request.headers.authorization), body });
  },
  hono: (mcp) => {
    const app = new Hono();
    app.all("/mcp", ({ req }) => mcp.fetch(req.raw, { tenant: userOf(req.header("authorization")) }));
    return getRequestListener(app.fetch);
  },
  "hono after a body parser": (mcp) => {
    const app = new Hono();
    app.all("/mcp", async ({ req }) => {
      const body = req.method === "POST" ? await req.json() : undefined;
      return mcp.fetch(req.raw, { tenant: userOf(req.header("authorization")), body });
    });
    return getRequestListener(app.fetch);
  },
};

async function fixture(
  server: (mcp: HttpHandler) => RequestListener = servers["node:http"]!,
  options: Partial<HttpHandlerOptions> = {},
) {
  const folder = temporaryFolder();
  const instances: (readonly [string | undefined, Toolcrib])[] = [];
  for (const name of Object.values(users)) {
    mkdirSync(join(folder.path, name));
    writeFileSync(join(folder.path, name, "a.txt"), `of ${name}\n`);
  }
  const mcp = newHttpHandler({
    open: async ({ tenant }) => {
      const crib = await openToolcrib({
        workspace: join(folder.path, tenant ?? "ada"),
        mode: tenant === "ada" ? "safe" : "cautious",
        rules: tenant === "bob" ? ["deny use file.write"] : [],
        stateDirectory: join(folder.path, "state"),
        configDirectory: join(folder.path, "config"),
      });
      instances.push([tenant, crib]);
      return crib;
    },
    ...options,
  });
  const listening = createServer(server(mcp));
  await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve));
  const url = new URL(`http://127.0.0.1:${(listening.address() as AddressInfo).port}/mcp`);
  const clients: Client[] = [];
  return {
    mcp,
    instances,
    path: (name: string) => join(folder.path, name),
    connect: async (era: Era, authorization: string) => {
      const client = new Client({ name: "test", version: "1" }, clientOptions(era));
      const transport = new StreamableHTTPClientTransport(url, {
        requestInit: { headers: { authorization } },
      });
      await client.connect(transport);
      clients.push(client);
      return { client, transport };
    },
    send: async (method: string, headers: Record<string, string>, body?: unknown) => {
      const accept = "application/json, text/event-stream";
      const response = await fetch(url, {
        method,
        headers: { "content-type": "application/json", accept, ...headers },
        body: body === undefined ? null : JSON.stringify(body),
      });
      return { status: response.status, headers: response.headers, text: await response.text() };
    },
    [Symbol.asyncDispose]: async () => {
      for (const client of clients) await client.close().catch(() => {});
      await mcp.close();
      listening.closeAllConnections();
      listening.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

const read = { name: "file_read", arguments: { path: "a.txt" } };
const textOf = (text: string) => ({ content: [{ type: "text", text }] });

describe.each(Object.keys(servers))("in a server with %s", (name) => {
  it.each(eras)("each tenant has its own instance (%s)", async (era) => {
    await using served = await fixture(servers[name]);
    const [ada, bob] = [await served.connect(era, "Bearer 1"), await served.connect(era, "Bearer 2")];
    expect([
      resultOf(await ada.client.callTool(read)),
      resultOf(await bob.client.callTool(read)),
      served.instances.map(([tenant, crib]) => [tenant, crib.mode]).toSorted(),
    ]).toEqual([
      textOf("1 | of ada"),
      textOf("1 | of bob"),
      [
        ["ada", "safe"],
        ["bob", "cautious"],
      ],
    ]);
    const tools = await Promise.all([ada, bob].map(async ({ client }) => (await client.listTools()).tools));
    expect(tools.map((listed) => listed.some((tool) => tool.name === "file_write"))).toEqual([true, false]);
  });
});

describe("attacks between tenants", () => {
  const version = { "mcp-protocol-version": "2025-11-25" };
  const of = (authorization: string, session: string) => ({
    authorization,
    "mcp-session-id": session,
    ...version,
  });

  it("gives nothing for the session id of another tenant", async () => {
    await using served = await fixture();
    const opened = await served.send("POST", { authorization: "Bearer 1" }, initialize);
    const session = opened.headers.get("mcp-session-id")!;
    const call = { jsonrpc: "2.0", id: 7, method: "tools/call", params: read };
    await served.send("POST", of("Bearer 1", session), call);
    const stolen = [
      await served.send("POST", of("Bearer 2", session), call),
      await served.send("GET", { ...of("Bearer 2", session), "last-event-id": "1" }),
      await served.send("DELETE", of("Bearer 2", session)),
    ];
    const invented = await served.send("POST", of("Bearer 2", "invented"), call);
    expect(stolen.map(({ status, text }) => [status, text])).toEqual(stolen.map(() => [404, invented.text]));
    const own = await served.send("POST", of("Bearer 1", session), call);
    expect([own.status, own.text]).toEqual([200, expect.stringContaining("of ada")]);
  });

  it("does not accept an approval that another tenant was asked for", async () => {
    await using served = await fixture(servers["node:http"], {
      open: async () =>
        openToolcrib({
          workspace: served.path("ada"),
          mode: "safe",
          stateDirectory: served.path("state"),
          configDirectory: served.path("config"),
        }),
    });
    const remove = async (authorization: string, more: object = {}) => {
      const envelope = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
        "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
      };
      const params = { name: "file_delete", arguments: { path: "a.txt" }, _meta: envelope, ...more };
      const headers = {
        authorization,
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": "file_delete",
      };
      const { text } = await served.send("POST", headers, {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params,
      });
      return JSON.parse(/\{.*\}/.exec(text)![0]);
    };
    const { requestState } = (await remove("Bearer 1")).result;
    const inputResponses = { approval: { action: "accept", content: { answer: "once" } } };
    const stolen = await remove("Bearer 2", { requestState, inputResponses });
    expect([stolen.error?.message, existsSync(served.path("ada/a.txt"))]).toEqual([
      "Invalid or expired requestState",
      true,
    ]);
    await remove("Bearer 1", { requestState, inputResponses });
    expect(existsSync(served.path("ada/a.txt"))).toBe(false);
  });

  it("refuses a request whose tenant is unknown, and opens nothing for it", async () => {
    await using served = await fixture();
    const refusals = await Promise.all(
      ["Bearer 3", ""].map((authorization) => served.send("POST", { authorization }, initialize)),
    );
    expect([refusals.map(({ status }) => status), served.instances]).toEqual([[401, 401], []]);
  });
});

it("says how to pass on a body that a parser has consumed and thrown away", async () => {
  await using served = await fixture((mcp) => async (request, response) => {
    await json(request);
    await mcp.listener(request, response);
  });
  const { status, text } = await served.send("POST", {}, initialize);
  expect([status, JSON.parse(text).error.message]).toEqual([
    500,
    "The body of this request was already read. Pass it on: { body: request.body }",
  ]);
});

it("replaces the longest idle tenant with a new one, and refuses it while all are busy", async () => {
  await using served = await fixture(servers["node:http"], { maxTenants: 1 });
  const ada = await served.connect("2026-07-28", "Bearer 1");
  await ada.client.callTool(read);
  const bob = await served.connect("2026-07-28", "Bearer 2");
  expect(resultOf(await bob.client.callTool(read))).toEqual(textOf("1 | of bob"));
  const [[, first]] = served.instances as [(typeof served.instances)[0]];
  await vi.waitFor(
    async () =>
      expect(await first.call("time.now", {})).toMatchObject({
        error: { message: "This Toolcrib is closed" },
      }),
    60_000,
  );
  await served.connect("2025-11-25", "Bearer 2");
  // A tenant with a session is not replaced.
  expect((await served.send("POST", { authorization: "Bearer 1" }, initialize)).status).toBe(503);
});

it("introduces itself as the server of its program", async () => {
  const serverInfo = { name: "acme", title: "Acme tools", version: "3.2.1" };
  await using served = await fixture(servers["node:http"], { serverInfo });
  const { client } = await served.connect("2025-11-25", "Bearer 1");
  expect(client.getServerVersion()).toEqual(serverInfo);
});
