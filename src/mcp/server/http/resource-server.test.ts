import { Client, discoverOAuthServerInfo, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { base64url, exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from "jose";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { clientOptions, type Era, eras, resultOf } from "../../../../test/support/mcp/client-fixture.ts";
import { httpFixture, initialize, headers as ownToken } from "../../../../test/support/mcp/http-fixture.ts";
import { type TokenIssuer, tokenIssuer } from "../../../../test/support/mcp/token-issuer.ts";
import { findIssuer, ResourceServer } from "./resource-server.ts";
import { serveHttp } from "./serve-http.ts";

const resource = "https://tools.example/mcp";
const readWrite = "toolcrib:read toolcrib:write";
let issuer: TokenIssuer;

beforeAll(async () => {
  issuer = await tokenIssuer();
});

afterAll(async () => {
  await issuer[Symbol.asyncDispose]();
});

afterEach(() => {
  vi.useRealTimers();
});

describe("a resource server", () => {
  let server: ResourceServer;

  beforeAll(async () => {
    const options = { issuer: issuer.issuer, resource };
    server = new ResourceServer(options, await findIssuer(options));
  });

  const admitted = async (token: string) => {
    const access = await server.admit(token);
    if (!(access instanceof Response)) return access;
    return [access.status, ((await access.json()) as { error_description: string }).error_description];
  };
  const issued = async (claims: JWTPayload, header = {}) =>
    admitted(await issuer.issue({ aud: resource, scope: readWrite, ...claims }, header));

  it("takes the user, the client and the scopes from a token", async () => {
    const tenant = '["oauth","ann","editor"]';
    expect(await issued({})).toEqual({ tenant, readOnly: false });
    expect(await issued({ scope: "toolcrib:read openid" })).toEqual({ tenant, readOnly: true });
    expect(await issued({ scope: undefined, scp: ["toolcrib:write"] }, { typ: "JWT" })).toEqual({
      tenant,
      readOnly: false,
    });
    expect(await issued({ aud: ["https://other.example", resource], client_id: undefined })).toEqual({
      tenant: '["oauth","ann",null]',
      readOnly: false,
    });
  });

  it("challenges a request without a token, naming its metadata and scopes", async () => {
    const refused = (await server.admit("")) as Response;
    expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([
      401,
      'Bearer error="invalid_token", error_description="No access token was sent", scope="toolcrib:read toolcrib:write", resource_metadata="https://tools.example/.well-known/oauth-protected-resource/mcp"',
    ]);
  });

  const seconds = Math.floor(Date.now() / 1000);
  it.each<[string, JWTPayload, string]>([
    ["for another server", { aud: "https://other.example/mcp" }, "The token was issued for another server"],
    ["for the origin only", { aud: "https://tools.example" }, "The token was issued for another server"],
    ["without an audience", { aud: undefined }, "The token was issued for another server"],
    ["that has expired", { exp: seconds - 60 }, "The token has expired"],
    ["that never expires", { exp: undefined }, "The token is not valid"],
    ["of tomorrow", { nbf: seconds + 86_400 }, "The token is not valid yet"],
    [
      "in the name of another issuer",
      { iss: "https://evil.example" },
      "The token was issued by another authorization server",
    ],
    ["without a user", { sub: undefined }, "The token names no user (sub)"],
    ["bound to a key", { cnf: { jkt: "x" } }, "The token is bound to a key; only bearer tokens are accepted"],
  ])("refuses a token %s", async (_, claims, reason) => {
    expect(await issued(claims)).toEqual([401, reason]);
  });

  it("refuses a token without its scopes, and names the scope", async () => {
    const token = await issuer.issue({ aud: resource, scope: "openid toolcrib:reader" });
    const refused = (await server.admit(token)) as Response;
    expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([
      403,
      'Bearer error="insufficient_scope", error_description="The token needs the scope toolcrib:read", scope="toolcrib:read", resource_metadata="https://tools.example/.well-known/oauth-protected-resource/mcp"',
    ]);
  });

  it("refuses tokens that choose their own key or algorithm", async () => {
    const evil = await generateKeyPair("ES256", { extractable: true });
    const jwk = await exportJWK(evil.publicKey);
    const claims = {
      ...{ iss: issuer.issuer, aud: resource, sub: "ann", scope: readWrite },
      exp: Math.floor(Date.now() / 1000) + 600,
    };
    const forged = (header: object) =>
      new SignJWT(claims).setProtectedHeader({ alg: "ES256", ...header }).sign(evil.privateKey);
    const publicKey = new TextEncoder().encode(JSON.stringify(issuer.keys[0]));
    const [head, body] = (await forged({ kid: "first" })).split(".");
    const tokens = [
      new UnsecuredJWT(claims).encode(),
      `${base64url.encode('{"alg":"NONE"}')}.${body}.`,
      await new SignJWT(claims).setProtectedHeader({ alg: "HS256", kid: "first" }).sign(publicKey),
      await forged({ kid: "first" }),
      await forged({ jwk }),
      await forged({ kid: "first", jwk }),
      await forged({ kid: "evil", jku: `${issuer.issuer}/evil` }),
      await forged({ kid: "../../dev/null", x5u: `${issuer.issuer}/evil` }),
      `${head}.${body}.`,
      `${head}.${body}`,
      "a.b.c",
      `a${"a".repeat(20_000)}`,
    ];
    const verdicts = await Promise.all(tokens.map(admitted));
    expect(verdicts).toEqual(tokens.map(() => [401, expect.stringMatching(/^The token is /)]));
    expect(await issued({}, { typ: "dpop+jwt" })).toEqual([401, "This is not an access token"]);
  });

  it("accepts tokens for its origin with and without the final slash, if that is its address", async () => {
    const options = { issuer: issuer.issuer, resource: "https://tools.example" };
    const root = new ResourceServer(options, await findIssuer(options));
    expect(root.metadataAt("/.well-known/oauth-protected-resource")).toMatchObject({
      resource: "https://tools.example/",
    });
    for (const aud of ["https://tools.example", "https://tools.example/"])
      expect(await root.admit(await issuer.issue({ aud, scope: readWrite }))).toMatchObject({
        readOnly: false,
      });
  });

  it("fetches new keys when they are rotated, but not for every unknown key", async () => {
    await issued({});
    const before = issuer.fetches;
    vi.useFakeTimers({ toFake: ["Date"] });
    await issuer.rotate("second");
    for (let count = 0; count < 5; count += 1)
      expect(await issued({})).toEqual([401, "The token is not valid"]);
    expect(issuer.fetches).toBe(before);
    vi.setSystemTime(Date.now() + 31_000);
    expect(await issued({})).toMatchObject({ readOnly: false });
    expect(issuer.fetches).toBe(before + 1);
  });
});

describe("an issuer", () => {
  it.each([
    ["http://login.example", "The OAuth issuer is not an https address: http://login.example"],
    ["login.example", "The OAuth issuer is not an address: login.example"],
    ["https://login.example?x", "The OAuth issuer is not an address: https://login.example?x"],
    ["https://user@login.example", "The OAuth issuer is not an https address: https://user@login.example"],
  ])("must be a secure address: %s", async (given, message) => {
    await expect(findIssuer({ issuer: given })).rejects.toMatchObject({ code: "invalid-input", message });
  });

  it("must name itself, and keys at a safe address, in its metadata", async () => {
    await using other = await tokenIssuer();
    const failures = [];
    for (const change of [
      { issuer: issuer.issuer },
      { jwks_uri: undefined },
      { jwks_uri: "http://10.0.0.1/keys" },
    ]) {
      other.metadata = (metadata) => ({ ...metadata, ...change });
      failures.push(await findIssuer({ issuer: other.issuer }).catch(({ code }) => code));
    }
    expect(failures).toEqual(["unavailable", "unavailable", "unavailable"]);
  });
});

describe("a server with OAuth", () => {
  let fixture: Awaited<ReturnType<typeof httpFixture>>;

  beforeAll(async () => {
    fixture = await httpFixture({ oauth: { issuer: issuer.issuer } }, () => ({ mode: "yolo" }));
  });

  afterAll(async () => {
    await fixture[Symbol.asyncDispose]();
  });

  const tokenFor = (scope: string, claims: JWTPayload = {}) =>
    issuer.issue({ aud: fixture.url, scope, ...claims });
  const connect = async (era: Era, token: string) => {
    const client = new Client({ name: "trial", version: "1" }, clientOptions(era));
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    const transport = new StreamableHTTPClientTransport(new URL(fixture.url), { requestInit });
    await client.connect(transport);
    return { client, transport, [Symbol.asyncDispose]: () => client.close() };
  };
  const write = { name: "file_write", arguments: { path: "new.txt", content: "new\n" } };

  it("tells clients where to log in, whatever host they name", async () => {
    const found = await discoverOAuthServerInfo(fixture.url);
    const { origin } = new URL(fixture.url);
    const forwarded = await fetch(`${origin}/.well-known/oauth-protected-resource`, {
      headers: { "x-forwarded-host": "evil.example", forwarded: "host=evil.example" },
    });
    const metadata = {
      resource: fixture.url,
      authorization_servers: [issuer.issuer],
      scopes_supported: ["toolcrib:read", "toolcrib:write"],
      bearer_methods_supported: ["header"],
      resource_name: "Toolcrib",
    };
    expect([found.authorizationServerUrl, found.resourceMetadata, await forwarded.json()]).toEqual([
      issuer.issuer,
      metadata,
      metadata,
    ]);
    const page = await fetch(`${origin}/.well-known/oauth-protected-resource`, {
      headers: { origin: "https://evil.example" },
    });
    expect(page.status).toBe(403);
  });

  it.each(eras)("lets a token with the write scope change files (%s)", async (era) => {
    await using connected = await connect(era, await tokenFor(readWrite));
    expect(resultOf(await connected.client.callTool(write)).isError).toBeFalsy();
  });

  it.each(eras)("lets a token with the read scope only read (%s)", { tags: "slow" }, async (era) => {
    await using connected = await connect(era, await tokenFor("toolcrib:read"));
    const { client } = connected;
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect([names.includes("file_read"), names.includes("file_write")]).toEqual([true, false]);
    const read = await client.callTool({ name: "file_read", arguments: { path: "a.txt" } });
    expect(resultOf(read)).toEqual({ content: [{ type: "text", text: "1 | one" }] });
    await expect(client.callTool(write)).rejects.toMatchObject({
      requiredScope: "toolcrib:read toolcrib:write",
    });
    // A tool that calls another one is not a way around, also not to end what another client of this user has started.
    const others = ["process_stop", "transaction_commit", "journal_checkpoint", "journal_undo"];
    expect(others.filter((name) => names.includes(name))).toEqual([]);
    const script = "await tools.process.stop({ name: 'server' })";
    for (const wanted of [
      write,
      ...others.map((name) => ({ name })),
      { name: "tools_script", arguments: { script } },
    ]) {
      const inner = resultOf(await client.callTool({ name: "tools_call", arguments: wanted }));
      expect([wanted.name, inner.isError, JSON.stringify(inner.content)]).toEqual([
        wanted.name,
        true,
        expect.stringContaining("only read-only tools are allowed"),
      ]);
    }
  });

  it("names both scopes when a call needs more", async () => {
    await using connected = await connect("2025-11-25", await tokenFor("toolcrib:read"));
    const authorization = `Bearer ${await tokenFor("toolcrib:read")}`;
    const call = { jsonrpc: "2.0", id: 5, method: "tools/call", params: write };
    const session = {
      "mcp-session-id": connected.transport.sessionId!,
      "mcp-protocol-version": "2025-11-25",
    };
    const refused = await fixture.post(call, { ...session, authorization });
    const { origin } = new URL(fixture.url);
    expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([
      403,
      `Bearer error="insufficient_scope", error_description="This tool may change something, which needs the scope toolcrib:write", scope="toolcrib:read toolcrib:write", resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`,
    ]);
    // With the wider token, the same session goes on.
    const allowed = await fixture.post(call, {
      ...session,
      authorization: `Bearer ${await tokenFor(readWrite)}`,
    });
    expect([allowed.status, await allowed.text()]).toEqual([200, expect.not.stringContaining("isError")]);
  });

  it("refuses the session of another user or client", async () => {
    await using connected = await connect("2025-11-25", await tokenFor(readWrite));
    const session = {
      "mcp-session-id": connected.transport.sessionId!,
      "mcp-protocol-version": "2025-11-25",
    };
    const list = { jsonrpc: "2.0", id: 5, method: "tools/list" };
    const tokens = [
      await tokenFor(readWrite, { sub: "eve" }),
      await tokenFor(readWrite, { client_id: "other" }),
      ownToken.authorization.slice("Bearer ".length),
    ];
    const statuses = tokens.map(
      async (token) => (await fixture.post(list, { ...session, authorization: `Bearer ${token}` })).status,
    );
    expect(await Promise.all(statuses)).toEqual([404, 404, 404]);
  });

  it("refuses foreign hosts, pages, and tokens in the address, and still accepts its own token", async () => {
    const token = await tokenFor(readWrite);
    const authorization = `Bearer ${token}`;
    const query = await fetch(`${fixture.url}?access_token=${token}`, { method: "POST" });
    const page = await fixture.post(initialize, { authorization, origin: "https://evil.example" });
    const wrong = await fixture.post(initialize, { authorization: `Bearer ${token}x` });
    expect([query.status, page.status, wrong.status, (await fixture.post(initialize)).status]).toEqual([
      ...[401, 403, 401, 200],
    ]);
  });

  it("reports that the keys cannot be fetched", async () => {
    await using other = await tokenIssuer();
    await using lost = await httpFixture({ oauth: { issuer: other.issuer } });
    const token = await other.issue({ aud: lost.url, scope: readWrite });
    await other[Symbol.asyncDispose]();
    const response = await lost.post(initialize, { authorization: `Bearer ${token}` });
    expect([response.status, await response.json()]).toMatchObject([
      503,
      { error: "temporarily_unavailable" },
    ]);
  });
});

it("refuses an address that clients cannot use before it listens", async () => {
  const listening = () => process.getActiveResourcesInfo().filter((name) => name === "TCPServerWrap").length;
  const before = listening();
  const oauth = { issuer: issuer.issuer };
  const open = () => Promise.reject(new Error("not opened"));
  await expect(serveHttp({ oauth, host: "0.0.0.0", port: 0, open })).rejects.toThrow(
    "The OAuth resource is not an https address: http://0.0.0.0:0/mcp",
  );
  expect(listening()).toBe(before);
});
