import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { DpopSession } from "@modelcontextprotocol/client";
import { decodeJwt, decodeProtectedHeader } from "jose";
import { describe, expect, it } from "vitest";
import {
  consent,
  type ProtectedServer,
  protectedServer,
} from "../../../../test/support/mcp/authorization-server.ts";
import { callFirst, type LoginFixture, loginFixture } from "../../../../test/support/mcp/login-fixture.ts";
import { newDpopKey, openDpopKey, refuseUnusableToken } from "./dpop.ts";

const sdk = { DpopSession } as typeof import("@modelcontextprotocol/client");

const to = ({ requests }: ProtectedServer, line: string) => requests.filter((one) => one.line === line);
const proofsTo = (server: ProtectedServer, line: string) =>
  to(server, line).flatMap(({ proof }) => proof ?? []);
const keysOf = ({ requests }: ProtectedServer) =>
  new Set(
    requests.flatMap(({ proof }) =>
      proof === undefined ? [] : JSON.stringify(decodeProtectedHeader(proof).jwk),
    ),
  );
const serverOf = ({ server }: LoginFixture) => ({ name: "one", url: new URL(server.url) });

/** Answers requests to one path, and no others. */
const answering =
  (path: string, answer: (request: IncomingMessage, response: ServerResponse, body: string) => unknown) =>
  (request: IncomingMessage, response: ServerResponse, body: string) =>
    request.url === path && answer(request, response, body) !== false;

function challenge(response: ServerResponse, headers: Record<string, string | string[]>): void {
  response.writeHead(401, { "www-authenticate": 'DPoP error="use_dpop_nonce"', ...headers }).end();
}

describe("a token that is bound to a key", () => {
  it("is requested, used and refreshed with a new proof for each request", { tags: "slow" }, async () => {
    await using fixture = await loginFixture({ dpop: {} });
    const { server } = fixture;
    let address: URL | undefined;
    const { tokens, dpopKey } = await fixture.login({}, "one", (given) => {
      address = given;
      return consent(given);
    });
    expect(tokens.token_type).toBe("DPoP");
    const { thumbprint } = await openDpopKey(sdk, dpopKey!);
    expect(address!.searchParams.get("dpop_jkt")).toBe(thumbprint);
    await using hub = await fixture.openHub();
    expect((await callFirst(hub)).text).toBe("Hello, DPoP [secret]");
    server.expireTokens();
    expect((await callFirst(hub)).text).toBe("Hello, DPoP [secret]");
    expect(server.refreshed).toBe(1);
    expect(proofsTo(server, "POST /token")).toHaveLength(2);
    expect(keysOf(server).size).toBe(1);
    expect(JSON.stringify(server.requests)).not.toContain(dpopKey!.d);
    // The server checks each proof; none was sent with the scheme of bearer tokens.
    expect(
      to(server, "POST /mcp").filter(({ authorization }) => authorization?.startsWith("Bearer")),
    ).toEqual([]);
  });

  it("and its key are stored only in a private file", { tags: "slow" }, async () => {
    await using fixture = await loginFixture({ dpop: {} });
    const { dpopKey } = await fixture.login();
    const hub = await fixture.openHub();
    {
      await using crib = await fixture.openInstance(hub);
      await crib.call("one__whoami", {});
      expect(JSON.stringify([await crib.definitions({ which: "all" }), hub.states()])).not.toContain(
        dpopKey!.d,
      );
    }
    const files = readdirSync(fixture.folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .filter((path) => readFileSync(path).includes(dpopKey!.d));
    expect(files).toEqual([expect.stringMatching(/mcp-logins\/[\w-]+\.json$/)]);
    expect(statSync(files[0]!).mode & 0o777).toBe(0o600);
  });

  it.each([
    ["client_credentials", { clientSecret: "secret-of-the-program" }],
    ["jwt_bearer", { assertion: "head.body.signature" }],
  ] as const)("works for a program with the grant %s", async (grant, credential) => {
    await using fixture = await loginFixture({
      dpop: { nonce: () => "nonce-1" },
      admits: () => true,
      serverMetadata: (metadata) => ({
        ...metadata,
        token_endpoint_auth_methods_supported: [grant === "jwt_bearer" ? "none" : "client_secret_basic"],
      }),
    });
    const oauth = { grant, clientId: "me", issuer: fixture.server.origin, ...credential };
    await using hub = await fixture.openHub({ one: fixture.configured({ oauth }) });
    expect(hub.warnings).toEqual([]);
    expect((await callFirst(hub)).text).toBe("Hello, DPoP [secret]");
    fixture.server.expireTokens();
    expect((await callFirst(hub)).text).toBe("Hello, DPoP [secret]");
    expect(proofsTo(fixture.server, "POST /token").map((proof) => decodeJwt(proof).nonce)).toEqual([
      undefined,
      "nonce-1",
      "nonce-1",
    ]);
    expect(keysOf(fixture.server).size).toBe(1);
  });

  it("is found by the OpenID metadata of its authorization server, too", async () => {
    await using fixture = await loginFixture({
      dpop: {},
      answer: (request, response) => {
        if (request.url === "/.well-known/oauth-authorization-server") response.writeHead(404).end();
        if (request.url !== "/.well-known/openid-configuration") return response.writableEnded;
        const origin = `http://${request.headers.host}`;
        response.writeHead(200, { "content-type": "application/json" }).end(
          JSON.stringify({
            issuer: origin,
            authorization_endpoint: `${origin}/authorize`,
            token_endpoint: `${origin}/token`,
            registration_endpoint: `${origin}/register`,
            jwks_uri: `${origin}/keys`,
            response_types_supported: ["code"],
            subject_types_supported: ["public"],
            id_token_signing_alg_values_supported: ["ES256"],
            code_challenge_methods_supported: ["S256"],
            dpop_signing_alg_values_supported: ["ES256"],
          }),
        );
        return true;
      },
    });
    expect((await fixture.login()).tokens.token_type).toBe("DPoP");
  });

  it("gets another proof after a redirect within the server, whose query is not in the proof", async () => {
    await using fixture = await loginFixture({
      dpop: {},
      answer: answering("/mcp", ({ headers }, response) => {
        if (headers.authorization === undefined) return false;
        response.writeHead(308, { location: "/mcp?tenant=2" }).end();
        return true;
      }),
    });
    await fixture.login();
    await using hub = await fixture.openHub();
    expect((await callFirst(hub)).text).toBe("Hello, DPoP [secret]");
    const claims = proofsTo(fixture.server, "POST /mcp").map((proof) => decodeJwt(proof));
    expect(new Set(claims.map(({ jti }) => jti)).size).toBe(claims.length);
    expect(new Set(claims.map(({ htu }) => htu))).toEqual(new Set([fixture.server.url]));
  });

  it("is not a login without its key", async () => {
    await using fixture = await loginFixture({ dpop: {} });
    await fixture.login();
    const folder = join(fixture.stateDirectory, "mcp-logins");
    const file = join(folder, readdirSync(folder).find((name) => name.endsWith(".json"))!);
    const { dpopKey, ...others } = JSON.parse(readFileSync(file, "utf8"));
    for (const damaged of [others, { ...others, dpopKey: { ...dpopKey, d: "" } }]) {
      writeFileSync(file, JSON.stringify(damaged));
      expect(fixture.store.read(serverOf(fixture))).toBeUndefined();
    }
  });
});

it("needs a new login when the stored key is not on its curve", async () => {
  await using fixture = await loginFixture({ dpop: {} });
  const login = await fixture.login();
  fixture.store.write({ ...login, dpopKey: { ...login.dpopKey!, x: login.dpopKey!.y } });
  await using hub = await fixture.openHub();
  expect(hub.states()).toMatchObject([
    { state: "failed", problems: ["it needs a login: toolcrib mcp login one"] },
  ]);
});

it("recognizes the type of a token in any case, and no other text", () => {
  const accept = (type: string) => () =>
    refuseUnusableToken({ access_token: "some-token", token_type: type }, "required");
  for (const type of ["DPoP", "dpop", "DPOP"]) expect(accept(type)).not.toThrow();
  for (const type of ["dpop ", " DPoP", "\uff24PoP", "DPoP\0", "DPoP Bearer", "", "Bearer", "BEARER"])
    expect(accept(type)).toThrow("The authorization server returned a token");
});

it("names the address of a request without user, default port, query and fragment in a proof", async () => {
  const session = await openDpopKey(sdk, newDpopKey());
  const addressIn = async (htu: string) => decodeJwt(await session.buildProof({ htm: "post", htu }));
  expect(await addressIn("HTTPS://ada:secret@One.EXAMPLE:443/a/../mcp?token=1#x")).toMatchObject({
    htu: "https://one.example/mcp",
    htm: "POST",
  });
});

describe("a nonce", () => {
  it("is sent after one retry, and with all later requests until the server wants another", async () => {
    let count = 0;
    await using fixture = await loginFixture({ dpop: { nonce: () => `nonce-${++count}` } });
    const { server } = fixture;
    await fixture.login();
    expect(proofsTo(server, "POST /token").map((proof) => decodeJwt(proof).nonce)).toEqual([
      undefined,
      "nonce-1",
    ]);
    await using hub = await fixture.openHub();
    await callFirst(hub);
    await callFirst(hub);
    const nonces = proofsTo(server, "POST /mcp").map((proof) => decodeJwt(proof).nonce);
    expect(nonces).toEqual([undefined, ...nonces.slice(1).map(() => "nonce-2")]);
    expect(nonces.length).toBeGreaterThan(4);
  });

  it("is sent only to the origin that it came from", async () => {
    const session = await openDpopKey(sdk, newDpopKey());
    session.observeNonce(
      new Response("", { headers: { "dpop-nonce": "of-one" } }),
      "https://one.example/token",
    );
    const nonceFor = async (htu: string) => decodeJwt(await session.buildProof({ htm: "POST", htu })).nonce;
    expect(await nonceFor("https://one.example/mcp")).toBe("of-one");
    expect(await nonceFor("https://two.example/mcp")).toBeUndefined();
    expect(await nonceFor("https://one.example:8443/mcp")).toBeUndefined();
  });

  it("that is too long or has other characters than the standard allows is ignored", async () => {
    const session = await openDpopKey(sdk, newDpopKey());
    for (const nonce of ["a".repeat(1025), 'a"b', "a\\b", "a b", "one, two", "caf\u00e9"])
      session.observeNonce(new Response("", { headers: { "dpop-nonce": nonce } }), "https://one.example");
    expect(session.nonceFor("https://one.example")).toBeUndefined();
  });
});

describe("a server without DPoP", () => {
  it("gets no proof and no thumbprint", async () => {
    await using fixture = await loginFixture();
    let address: URL | undefined;
    const { dpopKey } = await fixture.login({}, "one", (given) => {
      address = given;
      return consent(given);
    });
    await using hub = await fixture.openHub();
    fixture.server.expireTokens();
    await callFirst(hub);
    expect(fixture.server.refreshed).toBe(1);
    expect(dpopKey).toBeUndefined();
    expect(address!.searchParams.has("dpop_jkt")).toBe(false);
    expect(fixture.server.requests.filter(({ proof }) => proof !== undefined)).toEqual([]);
  });

  it("gets no proof when it or its authorization server accepts only other algorithms", async () => {
    const others = { dpop_signing_alg_values_supported: ["EdDSA"] };
    for (const options of [
      { dpop: {}, resourceMetadata: (metadata: object) => ({ ...metadata, ...others }) },
      { serverMetadata: (metadata: object) => ({ ...metadata, ...others }) },
    ]) {
      await using fixture = await loginFixture(options);
      expect((await fixture.login()).tokens.token_type).toBe("Bearer");
      expect(fixture.server.requests.filter(({ proof }) => proof !== undefined)).toEqual([]);
    }
  });
});

describe("a hostile server", () => {
  it("cannot announce DPoP for an authorization server, also for one without metadata", async () => {
    for (const hasMetadata of [true, false]) {
      await using fixture = await loginFixture({
        resourceMetadata: (metadata) => ({
          ...metadata,
          issuer: hasMetadata ? (metadata.authorization_servers as string[])[0] : "",
          dpop_signing_alg_values_supported: ["ES256"],
        }),
        answer: ({ url }, response) => {
          if (hasMetadata || !/oauth-authorization-server|openid-configuration/.test(url!)) return false;
          response.writeHead(404).end();
          return true;
        },
      });
      expect((await fixture.login()).dpopKey).toBeUndefined();
      expect(fixture.server.requests.filter(({ proof }) => proof !== undefined)).toEqual([]);
    }
  });

  it.each<[string, Record<string, string | string[]>]>([
    ["wants another nonce each time", { "dpop-nonce": "again" }],
    ["sends no nonce", {}],
    ["sends a nonce that is too long", { "dpop-nonce": "a".repeat(9_000) }],
    ["sends two nonces", { "dpop-nonce": ["one", "two"] }],
  ])("that %s gets at most one retry, and no new token", async (_, headers) => {
    let isHostile = false;
    await using fixture = await loginFixture({
      dpop: {},
      answer: answering("/mcp", (_request, response) => isHostile && challenge(response, headers)),
    });
    await fixture.login();
    await using hub = await fixture.openHub();
    const before = to(fixture.server, "POST /mcp").length;
    isHostile = true;
    await expect(callFirst(hub)).rejects.toMatchObject({
      code: "unavailable",
      message: `${fixture.server.origin} rejects the DPoP nonce that it asked for, or sent none`,
    });
    expect(to(fixture.server, "POST /mcp").length - before).toBeLessThanOrEqual(2);
    expect(fixture.server.refreshed).toBe(0);
  });

  it("that breaks the line of a nonce adds no header to a request", async () => {
    let isHostile = false;
    const seen: unknown[] = [];
    await using fixture = await loginFixture({
      dpop: {},
      answer: answering("/mcp", (request, response) => {
        seen.push(request.headers["x-evil"]);
        if (!isHostile) return false;
        const head = 'HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: DPoP error="use_dpop_nonce"';
        response.socket!.end(`${head}\r\nDPoP-Nonce: a\r\n X-Evil: 1\r\nContent-Length: 0\r\n\r\n`);
        return true;
      }),
    });
    await fixture.login();
    await using hub = await fixture.openHub();
    isHostile = true;
    await expect(callFirst(hub)).rejects.toMatchObject({ code: "unavailable" });
    expect(new Set(seen)).toEqual(new Set([undefined]));
  });

  it("whose authorization server wants nonces endlessly gets two token requests", async () => {
    await using fixture = await loginFixture({
      dpop: {},
      answer: answering("/token", (_request, response) => {
        response.writeHead(400, { "content-type": "application/json", "dpop-nonce": "again" });
        response.end(JSON.stringify({ error: "use_dpop_nonce" }));
      }),
    });
    await expect(fixture.login()).rejects.toThrow("The login to one failed: it answered use_dpop_nonce");
    expect(to(fixture.server, "POST /token")).toHaveLength(2);
  });

  it("that answers a refresh with a bearer token ends the login, and never gets that token", async () => {
    let isHostile = false;
    await using fixture = await loginFixture({
      dpop: {},
      answer: answering("/token", (_request, response) => {
        if (!isHostile) return false;
        response.writeHead(200, { "content-type": "application/json" });
        response.end(JSON.stringify({ access_token: "unbound-token", token_type: "Bearer" }));
        return true;
      }),
    });
    await fixture.login();
    await using hub = await fixture.openHub();
    isHostile = true;
    fixture.server.expireTokens();
    // The first request ends the login, and a later one gives the same reason, until the user logs in again.
    for (let call = 0; call < 2; call += 1)
      await expect(callFirst(hub)).rejects.toMatchObject({
        message: "The MCP server one needs a login, because the new token is not bound to its key",
        hint: "Ask the user to run: toolcrib mcp login one",
      });
    expect(fixture.store.read(serverOf(fixture))).toBeUndefined();
    expect(fixture.server.requests.filter(({ authorization }) => authorization?.includes("unbound"))).toEqual(
      [],
    );
    expect(
      fixture.server.requests.filter(({ authorization }) => authorization?.startsWith("Bearer")),
    ).toEqual([]);
    isHostile = false;
    await fixture.login();
    await callFirst(hub);
    fixture.store.remove(serverOf(fixture));
    await expect(callFirst(hub)).rejects.toMatchObject({ message: "The MCP server one needs a login" });
  });

  it("that answers a program's next request with a bearer token never gets that token", async () => {
    let isHostile = false;
    await using fixture = await loginFixture({
      dpop: {},
      admits: () => true,
      answer: answering("/token", (_request, response) => {
        if (!isHostile) return false;
        response.writeHead(200, { "content-type": "application/json" });
        response.end(JSON.stringify({ access_token: "unbound-token", token_type: "Bearer" }));
        return true;
      }),
    });
    const issuer = fixture.server.origin;
    const oauth = { grant: "jwt_bearer", clientId: "me", assertion: "head.body.signature", issuer } as const;
    await using hub = await fixture.openHub({ one: fixture.configured({ oauth }) });
    isHostile = true;
    fixture.server.expireTokens();
    await expect(callFirst(hub)).rejects.toThrow("a token that is not bound to a key");
    expect(fixture.server.requests.filter(({ authorization }) => authorization?.includes("unbound"))).toEqual(
      [],
    );
  });

  it("that demands bound tokens gets no login with a bearer token", async () => {
    await using fixture = await loginFixture({
      dpop: {},
      resourceMetadata: (metadata) => ({ ...metadata, dpop_bound_access_tokens_required: true }),
      answer: answering("/token", (_request, response) => {
        response.writeHead(200, { "content-type": "application/json" });
        response.end(JSON.stringify({ access_token: "unbound-token", token_type: "Bearer" }));
      }),
    });
    await expect(fixture.login()).rejects.toThrow("a token that is not bound to a key");
    expect(fixture.store.read(serverOf(fixture))).toBeUndefined();
  });

  it("that demands bound tokens, which its authorization server does not offer, gets no login", async () => {
    await using fixture = await loginFixture({
      resourceMetadata: (metadata) => ({ ...metadata, dpop_bound_access_tokens_required: true }),
    });
    await expect(fixture.login()).rejects.toMatchObject({ code: "unsupported" });
    expect(to(fixture.server, "POST /token")).toEqual([]);
  });

  it("that calls a token bound for which no proof was sent gets no login", async () => {
    await using fixture = await loginFixture({
      answer: answering("/token", (_request, response) => {
        response.writeHead(200, { "content-type": "application/json" });
        response.end(JSON.stringify({ access_token: "some-token", token_type: "DPoP" }));
      }),
    });
    await expect(fixture.login()).rejects.toThrow("a token of the type DPoP");
  });

  it("that redirects gets no token and no proof at another origin", async () => {
    let isHostile = false;
    await using thief = await protectedServer();
    await using fixture = await loginFixture({
      dpop: {},
      answer: (request, response) => {
        if (!isHostile) return false;
        response.writeHead(307, { location: `${thief.origin}${request.url}`, "dpop-nonce": "a" }).end();
        return true;
      },
    });
    await fixture.login();
    await using hub = await fixture.openHub();
    isHostile = true;
    await expect(callFirst(hub)).rejects.toMatchObject({ code: expect.stringMatching(/denied|unavailable/) });
    expect(thief.requests).toEqual([]);
  });

  it("gets another key than every other server, also at the same authorization server", async () => {
    await using fixture = await loginFixture({ dpop: {} });
    await using other = await loginFixture({ dpop: {} });
    const keys = [
      (await fixture.login()).dpopKey,
      (await fixture.login({}, "two")).dpopKey,
      (await fixture.login({ url: other.server.url }, "three")).dpopKey,
      // Each login of the same server has a new key.
      (await fixture.login()).dpopKey,
    ].map((key) => key!.d);
    expect(new Set(keys).size).toBe(4);
    // The address of a logged-in server changes in the settings.
    await using hub = await fixture.openHub({ one: other.configured() });
    expect(hub.states().map(({ state }) => state)).toEqual(["failed"]);
    expect([...keysOf(other.server)].filter((key) => keysOf(fixture.server).has(key))).toEqual([]);
  });
});

it("accepts a bearer token where binding is only offered, and sends it without a proof", async () => {
  await using fixture = await loginFixture({
    serverMetadata: (metadata) => ({ ...metadata, dpop_signing_alg_values_supported: ["ES256"] }),
  });
  await fixture.login();
  await using hub = await fixture.openHub();
  expect((await callFirst(hub)).text).toBe("Hello, Bearer [secret]");
  fixture.server.expireTokens();
  await callFirst(hub);
  // The refresh token of a public client is bound to the key all the same.
  expect(proofsTo(fixture.server, "POST /token")).toHaveLength(2);
  expect(proofsTo(fixture.server, "POST /mcp")).toEqual([]);
});
