import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { jwtVerify } from "jose";
import { describe, expect, it } from "vitest";
import {
  type ProtectedServer,
  type ProtectedServerOptions,
  protectedServer,
} from "../../../../test/support/mcp/authorization-server.ts";
import { callFirst } from "../../../../test/support/mcp/login-fixture.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { connectHub } from "../connect-hub.ts";
import { readSettings, type ServerConfiguration } from "../settings/read-settings.ts";
import { logIn } from "./log-in.ts";
import { LoginStore } from "./login-store.ts";

const clientSecret = "secret-of-the-program";
const basic = `Basic ${Buffer.from(`me:${clientSecret}`).toString("base64")}`;

type OAuth = NonNullable<ServerConfiguration["oauth"]>;

async function openFixture(options: ProtectedServerOptions = {}) {
  const folder = temporaryFolder();
  const workspace = join(folder.path, "work");
  mkdirSync(workspace);
  const stateDirectory = join(folder.path, "state");
  const server = await protectedServer({
    admits: (_, authorization) => authorization === basic,
    ...options,
    serverMetadata: (metadata) => {
      const supporting = { ...metadata, token_endpoint_auth_methods_supported: ["client_secret_basic"] };
      return options.serverMetadata?.(supporting) ?? supporting;
    },
  });
  const configured = (more: OAuth = {}): ServerConfiguration => ({
    url: server.url,
    protocol: "2025",
    oauth: { grant: "client_credentials", clientId: "me", clientSecret, issuer: server.origin, ...more },
  });
  const openHub = async (more?: OAuth) => {
    const hub = connectHub({
      workspace,
      servers: { one: configured(more) },
      stateDirectory,
      times: { restartMs: 1 },
    });
    await hub.ready;
    const call = () => callFirst(hub);
    return Object.assign(hub, { call });
  };
  return {
    server,
    workspace,
    stateDirectory,
    configured,
    openHub,
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

const tokenRequests = ({ requests }: ProtectedServer) =>
  requests
    .filter(({ line }) => line === "POST /token")
    .map(({ body }) => Object.fromEntries(new URLSearchParams(body)));

const fix =
  "given up. Check `clientId`, `issuer` and `clientSecret` in `oauth` of one in mcp.json, and the variables there.";

describe("a program", () => {
  it("logs in with its secret, stores no token and shows none", async () => {
    await using fixture = await openFixture();
    await using hub = await fixture.openHub();
    expect(hub.warnings).toEqual([]);
    expect((await hub.call()).text).toBe("Hello, Bearer [secret]");
    expect(JSON.stringify([hub.tools, hub.states()])).not.toMatch(/access-|secret-of/);
    expect(tokenRequests(fixture.server)).toEqual([
      { grant_type: "client_credentials", resource: fixture.server.url, scope: "read" },
    ]);
    expect(existsSync(join(fixture.stateDirectory, "mcp-logins"))).toBe(false);
  });

  it("logs in with a request that its key signs, also with escaped line ends in its variable", async () => {
    const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    let origin = "";
    await using fixture = await openFixture({
      admits: (form) => isSigned(form.get("client_assertion") ?? "", publicKey, origin),
    });
    origin = fixture.server.origin;
    const pem = privateKey.export({ type: "sec1", format: "pem" }) as string;
    for (const key of [pem, pem.replaceAll("\n", "\\n")]) {
      await using hub = await fixture.openHub({ clientSecret: undefined, privateKey: key });
      expect(hub.warnings).toEqual([]);
    }
    expect(JSON.stringify(fixture.server.requests)).not.toContain("PRIVATE KEY");
  });

  it("logs in with the JWT of its workload, which is read again for each login", async () => {
    await using folder = temporaryFolder();
    const assertionFile = join(folder.path, "token");
    const grant = "jwt_bearer";
    await using fixture = await openFixture({
      admits: (form) => form.get("assertion")?.startsWith("head.body.") === true,
      serverMetadata: (metadata) => ({ ...metadata, token_endpoint_auth_methods_supported: ["none"] }),
    });
    writeFileSync(assertionFile, "head.body.first\n");
    const file = { grant, clientSecret: undefined, assertionFile } as const;
    await using hub = await fixture.openHub(file);
    expect(hub.warnings).toEqual([]);
    writeFileSync(assertionFile, "head.body.second\n");
    fixture.server.expireTokens();
    expect((await hub.call()).text).toBe("Hello, Bearer [secret]");
    await using other = await fixture.openHub({
      grant,
      clientSecret: undefined,
      assertion: "head.body.third",
    });
    expect(other.warnings).toEqual([]);
    const common = {
      grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
      client_id: "me",
      resource: fixture.server.url,
      scope: "read",
    };
    expect(tokenRequests(fixture.server)).toEqual([
      { ...common, assertion: "head.body.first" },
      { ...common, assertion: "head.body.second" },
      { ...common, assertion: "head.body.third" },
    ]);
    // A path in the settings must not send another file.
    writeFileSync(assertionFile, "password of the user");
    await using wrong = await fixture.openHub(file);
    expect(wrong.warnings[0]).toContain(`${assertionFile} is not a signed JWT; given up`);
    await using missing = await fixture.openHub({ ...file, assertionFile: `${assertionFile}-2` });
    expect(missing.warnings[0]).toContain(
      `${assertionFile}-2 is not a readable file of at most 64 KB; given up`,
    );
    expect(tokenRequests(fixture.server)).toHaveLength(3);
  });

  it("exchanges an ID token of its organization, which the server and its authorization server never get", async () => {
    let isRefused = false;
    let failures = 2;
    await using organization = await protectedServer({
      answer: (request, response) => {
        if (request.url !== "/token") return false;
        failures -= 1;
        if (failures >= 0) {
          response.writeHead(failures === 0 ? 429 : 503).end("busy");
          return true;
        }
        const issued = { issued_token_type: "urn:ietf:params:oauth:token-type:id-jag", token_type: "N_A" };
        const answer = isRefused
          ? { error: "invalid_grant" }
          : { access_token: "head.body.grant", ...issued };
        response.writeHead(isRefused ? 400 : 200, { "content-type": "application/json" });
        response.end(JSON.stringify(answer));
        return true;
      },
    });
    await using fixture = await openFixture({
      admits: (form, authorization) => authorization === basic && form.get("assertion") === "head.body.grant",
    });
    const oauth = {
      grant: "jwt_bearer",
      assertion: "id.token.of-a-user",
      identityProvider: { tokenEndpoint: `${organization.origin}/token`, clientId: "us" },
    } as const;
    // An identity provider that is busy is asked again.
    await using hub = await fixture.openHub(oauth);
    await expect.poll(() => hub.states()[0]?.state, { timeout: 30_000 }).toBe("ready");
    expect(tokenRequests(organization)).toHaveLength(3);
    expect(tokenRequests(organization).slice(2)).toEqual([
      {
        grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
        requested_token_type: "urn:ietf:params:oauth:token-type:id-jag",
        subject_token: oauth.assertion,
        subject_token_type: "urn:ietf:params:oauth:token-type:id_token",
        client_id: "us",
        audience: fixture.server.origin,
        resource: fixture.server.url,
        scope: "read",
      },
    ]);
    expect(JSON.stringify(fixture.server.requests)).not.toContain(oauth.assertion);
    isRefused = true;
    await using refused = await fixture.openHub(oauth);
    expect(refused.warnings[0]).toContain(
      `${organization.origin} does not exchange the ID token: Token exchange failed: invalid_grant; given up`,
    );
  });

  it("requests one new token for all calls whose token has expired", async () => {
    await using fixture = await openFixture();
    await using hub = await fixture.openHub();
    fixture.server.expireTokens();
    const results = await Promise.all([hub.call(), hub.call(), hub.call()]);
    expect(results.map(({ text }) => text)).toEqual(Array(3).fill("Hello, Bearer [secret]"));
    expect(tokenRequests(fixture.server)).toHaveLength(2);
  });

  it("requests only the scope of its settings, whatever the server demands", async () => {
    await using fixture = await openFixture({ callScope: "write" });
    await using hub = await fixture.openHub({ scope: "list" });
    await expect(hub.call()).rejects.toMatchObject({
      code: "unavailable",
      message: `${fixture.server.origin} demands an access token with the scope "write"`,
      hint: "Ask the user to check `scope` in `oauth` of one in mcp.json, and the variables there.",
    });
    expect(tokenRequests(fixture.server).map(({ scope }) => scope)).toEqual(["list"]);
  });

  it("needs no login of the user", async () => {
    await using fixture = await openFixture();
    const { workspace, stateDirectory } = fixture;
    const settings = readSettings("one", fixture.configured(), { workspace, variables: {} });
    if (settings === "disabled") throw new Error("It is not");
    const store = new LoginStore(stateDirectory);
    const attempt = logIn(settings, { store, onAddress: () => {}, signal: AbortSignal.timeout(60_000) });
    await expect(attempt).rejects.toMatchObject({
      code: "invalid-input",
      message: "The MCP server one needs no login: Toolcrib logs in with the `oauth.grant` of its settings",
    });
  });
});

describe("a refused program", () => {
  it("requests a token once, and names the settings to check", async () => {
    await using fixture = await openFixture({ admits: () => false });
    await using hub = await fixture.openHub();
    const { origin } = fixture.server;
    expect(hub.warnings).toEqual([
      `The MCP server one: ${origin} gives no access token for one: it answered invalid_client; ${fix}`,
    ]);
    expect(tokenRequests(fixture.server)).toHaveLength(1);
  });

  it("requests a token once when the server rejects it", async () => {
    await using fixture = await openFixture({
      answer: (request, response) => {
        if (request.url !== "/mcp") return false;
        response.writeHead(401).end();
        return true;
      },
    });
    await using hub = await fixture.openHub();
    const { origin } = fixture.server;
    expect(hub.warnings).toEqual([
      `The MCP server one: ${origin} rejects the access token of ${origin}; ${fix}`,
    ]);
    expect(tokenRequests(fixture.server)).toHaveLength(1);
  });
});

describe("a hostile server", () => {
  it("that names another authorization server gets no secret there", async () => {
    await using thief = await protectedServer({ admits: () => true });
    await using fixture = await openFixture({
      resourceMetadata: (metadata) => ({ ...metadata, authorization_servers: [thief.origin] }),
    });
    await using hub = await fixture.openHub();
    expect(hub.warnings[0]).toContain(
      `The server names the authorization server ${thief.origin}, not ${fixture.server.origin} as in its settings`,
    );
    expect(thief.requests.map(({ line }) => line)).toEqual(["GET /.well-known/oauth-authorization-server"]);
    expect(JSON.stringify([thief.requests, fixture.server.requests])).not.toContain(basic);
  });

  it("whose authorization server pretends to be the configured one gets no secret there", async () => {
    let configured = "";
    await using thief = await protectedServer({
      admits: () => true,
      serverMetadata: (metadata) => ({ ...metadata, issuer: configured }),
    });
    await using fixture = await openFixture({
      resourceMetadata: (metadata) => ({ ...metadata, authorization_servers: [thief.origin] }),
    });
    configured = fixture.server.origin;
    await using hub = await fixture.openHub();
    expect(hub.states().map(({ state }) => state)).not.toContain("ready");
    expect(new Set(thief.requests.map(({ line }) => line))).toEqual(
      new Set(["GET /.well-known/oauth-authorization-server"]),
    );
    expect(JSON.stringify(thief.requests)).not.toContain(basic);
  });

  it.each<[string, ProtectedServerOptions, RegExp]>([
    [
      "pretends to be another resource",
      { resourceMetadata: (metadata) => ({ ...metadata, resource: "https://bank.example/mcp" }) },
      /Protected resource https:\/\/bank\.example\/mcp does not match/,
    ],
    [
      "has a token endpoint without TLS",
      { serverMetadata: (metadata) => ({ ...metadata, token_endpoint: "http://other.example/token" }) },
      /http:\/\/other\.example|TLS|https/,
    ],
    [
      "redirects the token request",
      {
        answer: (request, response) => {
          if (request.url !== "/token") return false;
          response.writeHead(307, { location: "http://127.0.0.1:1/token" }).end();
          return true;
        },
      },
      /redirects to another address/,
    ],
    [
      "repeats the secret in an error",
      {
        answer: (request, response) => {
          if (request.url !== "/token") return false;
          response.writeHead(400, { "content-type": "application/json" });
          response.end(JSON.stringify({ error: "invalid_scope", error_description: clientSecret }));
          return true;
        },
      },
      /it answered invalid_scope; given up\. Check/,
    ],
  ])("that %s gets no program", async (_, options, reason) => {
    await using fixture = await openFixture(options);
    await using hub = await fixture.openHub();
    expect(hub.warnings[0]).toMatch(reason);
    expect(hub.warnings[0]).not.toContain(clientSecret);
  });
});

async function isSigned(assertion: string, key: KeyObject, audience: string): Promise<boolean> {
  const { payload } = await jwtVerify(assertion, key, { audience });
  return payload.iss === "me" && payload.sub === "me";
}
