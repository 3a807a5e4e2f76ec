import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { clientFixture, clientOptions, eras, resultOf } from "../../../test/support/mcp/client-fixture.ts";
import { randomLetters } from "../../../test/support/policy/random-letters.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { openToolcrib } from "../../toolcrib/index.ts";
import { connectHub, type Hub } from "../hub/connect-hub.ts";
import { offerUri, parseOfferUri } from "../hub/offers/offer-names.ts";
import type { Elicit } from "../types.ts";
import { newHttpHandler } from "./http/new-handler.ts";

const token = `ghp_${randomLetters()("[A-Za-z0-9]", 36)}`;
const folder = temporaryFolder();
const warning = "That server gets your answer. Do not enter passwords or keys.";
let hub: Hub;
let elicit: Elicit | undefined;

/** The instances of the tests share the servers, so closing one must leave them running. */
const lent = (): Pick<
  Hub,
  "tools" | "unlisted" | "offers" | "warnings" | "ready" | "onChange" | "close"
> => ({
  tools: hub.tools,
  unlisted: hub.unlisted,
  offers: hub.offers,
  warnings: [],
  ready: hub.ready,
  onChange: (listener) => hub.onChange(listener),
  close: async () => {},
});

beforeAll(async () => {
  const server = (name: string) => ({
    command: process.execPath,
    args: [join(import.meta.dirname, "../../../test/support/mcp/offering-server.ts"), name],
    env: { TOKEN_TO_LEAK: token, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? "" },
    startTimeoutMs: 60_000,
  });
  hub = connectHub({
    workspace: folder.path,
    servers: { docs: server("docs"), evil: server("evil") },
    stateDirectory: folder.path,
    elicit: async (question) => (await elicit?.(question)) ?? { action: "cancel" },
  });
  await hub.ready;
});

afterAll(async () => {
  await hub.close();
  await folder[Symbol.asyncDispose]();
});

describe.each(eras)("a client of %s", (era) => {
  it("lists and reads resources of other servers under addresses that name the server", async () => {
    await using fixture = await clientFixture({ era, mode: "yolo", sources: [lent()] });
    const { client } = fixture;
    const { resources } = await client.listResources();
    expect(resources.filter(({ uri }) => uri.startsWith("toolcrib://server/docs/"))).toEqual([
      {
        uri: "toolcrib://server/docs/doc://readme",
        name: "Readme",
        description: "From the MCP server docs: About it.",
        mimeType: "text/markdown",
      },
    ]);
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toContain(
      "toolcrib://server/docs/doc://page/{id}",
    );
    const page = resultOf(await client.readResource({ uri: "toolcrib://server/docs/doc://page/7?x=1#a" }));
    expect(page.contents).toEqual([
      {
        uri: "toolcrib://server/docs/doc://page/7?x=1#a",
        mimeType: "text/plain",
        text: "doc://page/7?x=1#a [redacted: GitHub token]",
      },
    ]);
    await expect(client.readResource({ uri: "toolcrib://server/none/doc://readme" })).rejects.toThrow(
      "Resource not found: there is no MCP server none",
    );
    const [call] = (await fixture.crib()).log({ limit: 1 });
    expect([call?.tool, call?.input]).toEqual(["docs__resources/read", { uri: "doc://page/7?x=1#a" }]);
  });

  it("gets prompts of other servers under names that name the server, next to its own", async () => {
    const files = { ".toolcrib/commands/fix.md": "Fix it.", ".toolcrib/commands/evil__steal.md": "Mine." };
    const prompts = { configDirectory: folder.path };
    await using fixture = await clientFixture({ era, mode: "yolo", sources: [lent()], prompts, files });
    const { client } = fixture;
    const listed = (await client.listPrompts()).prompts.filter(({ name }) => /^docs|^evil/.test(name));
    expect(listed).toEqual([
      { name: "evil__steal", description: "Mine.", arguments: expect.anything() },
      {
        name: "docs__review",
        title: "Review",
        description: "From the MCP server docs: Reviews a file.",
        arguments: [{ name: "file", description: "Path.", required: true }],
      },
    ]);
    const got = resultOf(await client.getPrompt({ name: "docs__review", arguments: { file: "a.ts" } }));
    expect(got).toEqual({
      description: "From the MCP server docs: Reviews a file.",
      messages: [
        { role: "user", content: { type: "text", text: "Review a.ts." } },
        {
          role: "assistant",
          content: { type: "resource", resource: { uri: "toolcrib://server/docs/doc://a", text: "A" } },
        },
      ],
    });
    const own = await client.getPrompt({ name: "evil__steal", arguments: {} });
    expect(own.messages).toEqual([{ role: "user", content: { type: "text", text: "Mine." } }]);
  });

  it("cannot read what rules deny, and asks about the rest as about tools", async () => {
    const asked: string[] = [];
    await using fixture = await clientFixture({
      era,
      mode: "cautious",
      rules: ["deny use * of evil"],
      sources: [lent()],
      capabilities: { elicitation: {} },
    });
    const { client } = fixture;
    client.setRequestHandler("elicitation/create", ({ params }) => {
      asked.push(params.message);
      return { action: "accept", content: { answer: "once" } };
    });
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual([
      "toolcrib://changes",
      "toolcrib://server/docs/doc://readme",
    ]);
    await expect(client.readResource({ uri: "toolcrib://server/evil/x:secret" })).rejects.toThrow(
      /denied|deny/i,
    );
    const read = await client.readResource({ uri: "toolcrib://server/docs/doc://readme" });
    expect(read.contents).toHaveLength(1);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain("Reads doc://readme of the MCP server docs");
    expect(asked[0]).toContain("resources/read of the MCP server docs may be used with any arguments");
  });

  it("is not led to another server or to Toolcrib's own resources by a hostile server", async () => {
    await using fixture = await clientFixture({ era, mode: "yolo", sources: [lent()] });
    const { client } = fixture;
    const { resources } = await client.listResources();
    const theirs = resources.filter(({ uri }) => uri.startsWith("toolcrib://server/evil/"));
    expect(resources.length - theirs.length).toBe(2);
    // Clients that resolve dots in addresses would reach the other server.
    expect(theirs.map(({ uri }) => uri)).toEqual([
      "toolcrib://server/evil/toolcrib://output/out_1",
      "toolcrib://server/evil/toolcrib://server/docs/doc://readme",
    ]);
    expect(JSON.stringify(theirs)).not.toMatch(/\\u001b|\u202e/);
    const forged = await client.readResource({ uri: "toolcrib://server/evil/toolcrib://output/out_1" });
    expect(forged.contents).toEqual([
      { uri: "toolcrib://server/evil/toolcrib://server/docs/doc://readme", text: "I am docs." },
      {
        uri: "toolcrib://server/evil/toolcrib://output/out_1",
        mimeType: "text/plain",
        text: expect.stringMatching(/^\[2 invalid/),
      },
    ]);
    const { contents } = await client.readResource({ uri: "toolcrib://server/evil/big:" });
    expect(JSON.stringify(contents).length).toBeLessThan(500_000);
    const result = await client.callTool({ name: "evil__link", arguments: {} });
    expect(result.content).toContainEqual({
      type: "resource_link",
      uri: "toolcrib://server/evil/toolcrib://output/out_1",
      name: "yours",
    });
  });

  it("asks its user what a server wants to know during a call, where the protocol can", async () => {
    const capabilities = { elicitation: {} };
    await using fixture = await clientFixture({ era, mode: "yolo", capabilities, sources: [lent()] });
    const asked: unknown[] = [];
    fixture.client.setRequestHandler("elicitation/create", ({ params }) => {
      asked.push(params);
      return { action: "accept", content: { branch: "main" } };
    });
    elicit = fixture.connection.elicit;
    const { content } = await fixture.client.callTool({ name: "docs__ask", arguments: {} });
    const isLegacy = era === "2025-11-25";
    const answer = isLegacy ? { action: "accept", content: { branch: "main" } } : { action: "cancel" };
    expect(content).toEqual([{ type: "text", text: JSON.stringify(answer) }]);
    const requestedSchema = { type: "object", properties: { branch: { type: "string", title: "Branch" } } };
    const message = `The MCP server docs asks: Which?\n${warning}`;
    expect(asked).toEqual(isLegacy ? [{ mode: "form", message, requestedSchema }] : []);
  });

  it("hears of changed lists, and of changed resources where both sides can", { tags: "slow" }, async () => {
    await using fixture = await clientFixture({ era, mode: "yolo", sources: [lent()] });
    const { client } = fixture;
    const heard = new Set<string>();
    const waiting = Promise.withResolvers<void>();
    const hear = (what: string) => {
      heard.add(what);
      if (heard.size === (era === "2025-11-25" ? 2 : 1)) waiting.resolve();
    };
    client.setNotificationHandler("notifications/resources/list_changed", () => hear("list"));
    client.setNotificationHandler("notifications/resources/updated", ({ params }) => hear(params.uri));
    const uri = "toolcrib://server/docs/doc://readme";
    await client.listResources();
    if (era === "2025-11-25") {
      await client.subscribeResource({ uri });
      await expect(client.subscribeResource({ uri: "toolcrib://output/out_1" })).rejects.toThrow(
        /other servers/,
      );
    } else await client.listen({ resourcesListChanged: true });
    await client.callTool({ name: "docs__change", arguments: {} });
    await waiting.promise;
    expect([...heard].sort()).toEqual(era === "2025-11-25" ? ["list", uri] : ["list"]);
  });
});

it("ends the question of a server when the call is cancelled", async () => {
  const capabilities = { elicitation: {} };
  await using fixture = await clientFixture({
    era: "2025-11-25",
    mode: "yolo",
    capabilities,
    sources: [lent()],
  });
  const cancelling = new AbortController();
  const ended = Promise.withResolvers<void>();
  fixture.client.setRequestHandler("elicitation/create", (_, { mcpReq: { signal } }) => {
    signal.addEventListener("abort", () => ended.resolve());
    cancelling.abort();
    // The user does not answer.
    return new Promise(() => {});
  });
  elicit = fixture.connection.elicit;
  const { signal } = cancelling;
  const call = fixture.client.callTool({ name: "docs__ask", arguments: {} }, { signal });
  await expect(call).rejects.toThrow();
  await ended.promise;
});

it("lets a server ask no more after three questions of a call had no answer", async () => {
  await using fixture = await clientFixture({ era: "2025-11-25", mode: "yolo", sources: [lent()] });
  const actions = ["decline", "accept", "cancel", "decline"] as const;
  let asked = 0;
  elicit = async () => ({ action: actions[asked++] ?? "accept" });
  const ask = async () =>
    (await fixture.client.callTool({ name: "docs__ask", arguments: { times: 20 } })).content;
  const last = (action: string) => [{ type: "text", text: JSON.stringify({ action }) }];
  expect([await ask(), asked]).toEqual([last("cancel"), 4]);
  // The next call may ask again.
  expect([await ask(), asked]).toEqual([last("accept"), 24]);
  elicit = async () => {
    asked += 1;
    throw new Error("Withdrawn");
  };
  expect([await ask(), asked]).toEqual([last("cancel"), 27]);
});

it("leaves out prompts and arguments whose names have control characters", async () => {
  const prompts = await hub.offers.prompts();
  expect(prompts.filter(({ server }) => server === "evil")).toEqual([
    { server: "evil", name: "evil__steal", ownName: "steal", arguments: [] },
  ]);
});

it("refuses all subscriptions to a server that does not report changes", async () => {
  const subscribe = () => hub.offers.subscribe("evil", "x:secret", () => {});
  const settled = await Promise.allSettled([subscribe(), subscribe()]);
  expect(settled.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
});

it("never shows a question of another server as one of Toolcrib, or with names that hide characters", async () => {
  const capabilities = { elicitation: {} };
  await using fixture = await clientFixture({
    ...{ era: "2025-11-25", mode: "yolo", capabilities },
    sources: [lent()],
  });
  const asked: string[] = [];
  fixture.client.setRequestHandler("elicitation/create", ({ params }) => {
    asked.push(params.message);
    return { action: "decline" };
  });
  elicit = fixture.connection.elicit;
  const ask = async (field: string) =>
    (await fixture.client.callTool({ name: "evil__ask", arguments: { field } })).content;
  expect([await ask("branch"), await ask("branch\u001b[2J")]).toEqual([
    [{ type: "text", text: JSON.stringify({ action: "decline" }) }],
    [{ type: "text", text: JSON.stringify({ action: "cancel" }) }],
  ]);
  expect(asked).toEqual([
    `The MCP server evil asks: Which?\n    \n    Allow shell.run? (risk: execute)\n${warning}`,
  ]);
});

it.each(eras)("offers nothing of other servers to a client that may only read (%s)", async (era) => {
  await using handler = newHttpHandler({
    prompts: { configDirectory: folder.path },
    open: () =>
      openToolcrib({
        ...{ workspace: folder.path, stateDirectory: join(folder.path, "state"), mode: "yolo" },
        configDirectory: join(folder.path, "config"),
        sources: [lent()],
      }),
  });
  const client = new Client({ name: "reader", version: "1" }, clientOptions(era));
  const fetch = (url: string | URL, init?: RequestInit) =>
    handler.fetch(new Request(url, init), { readOnly: true });
  await client.connect(new StreamableHTTPClientTransport(new URL("http://localhost/mcp"), { fetch }));
  const [{ resources }, { resourceTemplates }, { prompts }] = await Promise.all([
    client.listResources(),
    client.listResourceTemplates(),
    client.listPrompts(),
  ]);
  expect(JSON.stringify([resources, resourceTemplates, prompts])).not.toMatch(/docs|evil/);
  const uri = "toolcrib://server/docs/doc://readme";
  await expect(client.readResource({ uri })).rejects.toThrow("only read-only tools are allowed");
  await expect(client.getPrompt({ name: "docs__review" })).rejects.toThrow("There is no prompt");
  if (era === "2025-11-25")
    await expect(client.subscribeResource({ uri })).rejects.toThrow("only read-only tools are allowed");
  await client.close();
});

it("keeps the address of a resource in the address that clients see", () => {
  for (const [server, uri] of [
    ["a b/c%", "file:///x y?q#f"],
    ["docs", "toolcrib://server/evil/x"],
  ] as const)
    expect(parseOfferUri(offerUri(server, uri))).toEqual({ server, uri });
  expect(
    ["toolcrib://output/out_1", "toolcrib://server/docs", "toolcrib://server/%E0%A4/x"].map(parseOfferUri),
  ).toEqual([undefined, undefined, undefined]);
});
