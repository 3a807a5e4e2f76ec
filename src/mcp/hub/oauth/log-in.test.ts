import { existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import {
  consent,
  type ProtectedServer,
  type ProtectedServerOptions,
  protectedServer,
} from "../../../../test/support/mcp/authorization-server.ts";
import { callFirst, loginFixture } from "../../../../test/support/mcp/login-fixture.ts";
import { LoginStore } from "./login-store.ts";

const linesOf = ({ requests }: ProtectedServer) => requests.map(({ line }) => line);

describe("a login", () => {
  it("lets the hub use a server, across processes, and never shows a token", { tags: "slow" }, async () => {
    await using fixture = await loginFixture();
    const { server, stateDirectory } = fixture;
    await using before = await fixture.openHub();
    expect(before.warnings).toEqual(["The MCP server one: it needs a login: toolcrib mcp login one."]);
    expect(linesOf(server)).toEqual(["POST /mcp"]);
    const { issuer, tokens } = await fixture.login();
    expect(issuer).toBe(server.origin);
    const files = readdirSync(join(stateDirectory, "mcp-logins")).filter((name) => name.endsWith(".json"));
    expect(files.map((name) => statSync(join(stateDirectory, "mcp-logins", name)).mode & 0o777)).toEqual([
      0o600,
    ]);
    expect(statSync(join(stateDirectory, "mcp-logins")).mode & 0o777).toBe(0o700);
    const hub = await fixture.openHub();
    await using crib = await fixture.openInstance(hub);
    expect(hub.warnings).toEqual([]);
    const { content } = await crib.call("one__whoami", {});
    expect(content).toBe("Hello, Bearer [secret]");
    const shown = JSON.stringify([await crib.definitions({ which: "all" }), hub.states()]);
    expect(shown).not.toContain(tokens.access_token);
    // The hub that was open before the login connects by itself.
    await expect.poll(() => before.states()[0]?.state, { timeout: 30_000 }).toBe("ready");
  });

  it("registers a client, proves the code with PKCE, and names the resource", async () => {
    await using fixture = await loginFixture();
    let address: URL | undefined;
    await fixture.login({}, "one", (given) => {
      address = given;
      return consent(given);
    });
    expect(Object.fromEntries(address!.searchParams)).toMatchObject({
      response_type: "code",
      code_challenge_method: "S256",
      resource: fixture.server.url,
      scope: "read",
      redirect_uri: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback$/),
    });
    const [exchange] = fixture.server.requests.filter(({ line }) => line === "POST /token");
    expect(Object.fromEntries(new URLSearchParams(exchange?.body))).toMatchObject({
      grant_type: "authorization_code",
      resource: fixture.server.url,
    });
  });

  it("asks for the scope that a call needed, in addition to the old one", async () => {
    await using fixture = await loginFixture({ callScope: "write" });
    await fixture.login();
    const hub = await fixture.openHub();
    await using crib = await fixture.openInstance(hub);
    expect((await crib.call("one__whoami", {})).content).toBe(
      "The MCP server one needs a login with more rights\nAsk the user to run: toolcrib mcp login one",
    );
    expect((await fixture.login()).tokens.scope).toBe("read write");
    expect((await crib.call("one__whoami", {})).content).toBe("Hello, Bearer [secret]");
  });
});

describe("an expired token", () => {
  it("is refreshed once, however many hubs and calls notice it", async () => {
    await using fixture = await loginFixture();
    await fixture.login();
    await using one = await fixture.openHub();
    await using other = await fixture.openHub();
    fixture.server.expireTokens();
    const calls = [one, other, one, other].map(callFirst);
    expect((await Promise.all(calls)).map(({ text }) => text)).toEqual(
      Array(4).fill("Hello, Bearer [secret]"),
    );
    expect(fixture.server.refreshed).toBe(1);
    const refreshes = fixture.server.requests.filter(({ body }) => body.includes("grant_type=refresh_token"));
    expect(new URLSearchParams(refreshes[0]?.body).get("resource")).toBe(fixture.server.url);
  });

  it("asks for a login when it cannot be refreshed, and forgets the tokens", async () => {
    await using fixture = await loginFixture();
    const { tokens } = await fixture.login();
    fixture.server.revokeAll();
    await using hub = await fixture.openHub();
    expect(hub.warnings).toEqual(["The MCP server one: it needs a login: toolcrib mcp login one."]);
    expect(JSON.stringify(hub.states())).not.toContain(tokens.refresh_token);
    expect(fixture.store.read({ name: "one", url: new URL(fixture.server.url) })).toBeUndefined();
  });
});

it("stays deleted when another process writes it while the user logs out", async () => {
  await using fixture = await loginFixture();
  const login = await fixture.login();
  const server = { name: "one", url: new URL(fixture.server.url) };
  const signal = AbortSignal.timeout(60_000);
  let leaving: Promise<unknown> | undefined;
  await fixture.store.alone(server, signal, async () => {
    leaving = new LoginStore(fixture.stateDirectory).removeNamed("one", signal);
    fixture.store.write(login);
  });
  expect(await leaving).toEqual([fixture.server.url]);
  expect(fixture.store.read(server)).toBeUndefined();
});

it("sends a refused code once, and prints nothing", async () => {
  using warn = vi.spyOn(console, "warn");
  await using fixture = await loginFixture({
    answer: (request, response) => {
      if (request.url !== "/token") return false;
      response.writeHead(400).end(JSON.stringify({ error: "invalid_grant" }));
      return true;
    },
  });
  await expect(fixture.login()).rejects.toThrow("The login to one failed: it answered invalid_grant");
  expect(linesOf(fixture.server).filter((line) => line === "POST /token")).toHaveLength(1);
  expect(warn).not.toHaveBeenCalled();
});

it("reports the code with which the user or the authorization server refuses", async () => {
  await using fixture = await loginFixture({
    redirect: (query) => {
      query.delete("code");
      query.set("error", "access_denied");
    },
  });
  await expect(fixture.login()).rejects.toThrow("The login to one failed: it answered access_denied");
});

it("stays when its authorization server cannot refresh it now", async () => {
  let isDown = false;
  await using fixture = await loginFixture({
    answer: (request, response) => {
      if (!isDown || request.url !== "/token") return false;
      response.writeHead(503).end("down");
      return true;
    },
  });
  const { issuer } = await fixture.login();
  await using hub = await fixture.openHub();
  isDown = true;
  fixture.server.expireTokens();
  await expect(callFirst(hub)).rejects.toMatchObject({
    code: "unavailable",
    message: `The login to one cannot be refreshed at ${issuer}: it answered server_error`,
  });
  isDown = false;
  expect((await callFirst(hub)).text).toBe("Hello, Bearer [secret]");
});

it("stays deleted when the user logs out during a refresh", async () => {
  let onRefresh = () => {};
  await using fixture = await loginFixture({
    answer: (_request, _response, body) => {
      if (body.includes("grant_type=refresh_token")) onRefresh();
      return false;
    },
  });
  await fixture.login();
  let leaving: Promise<unknown> | undefined;
  onRefresh = () => {
    leaving = fixture.store.removeNamed("one", AbortSignal.timeout(60_000));
  };
  fixture.server.expireTokens();
  await using hub = await fixture.openHub();
  expect(hub.warnings).toEqual(["The MCP server one: it needs a login: toolcrib mcp login one."]);
  await leaving;
  expect(fixture.server.refreshed).toBe(1);
  expect(fixture.store.read({ name: "one", url: new URL(fixture.server.url) })).toBeUndefined();
});

describe("a hostile server", () => {
  it("gets no token of another server, name or address", async () => {
    await using fixture = await loginFixture();
    await using other = await protectedServer();
    const { tokens } = await fixture.login();
    await using hub = await fixture.openHub({
      // The address of a logged-in server changes in the settings, and its name.
      one: { url: other.url, protocol: "2025" },
      two: fixture.configured(),
      path: fixture.configured({ url: `${fixture.server.origin}/mcp?tenant=2` }),
    });
    expect(hub.states().map(({ state }) => state)).toEqual(["failed", "failed", "failed"]);
    expect(other.requests.map(({ authorization }) => authorization)).toEqual([undefined]);
    const sent = fixture.server.requests.filter(({ authorization }) =>
      authorization?.includes(tokens.access_token),
    );
    expect(sent).toEqual([]);
  });

  it.each<[string, ProtectedServerOptions, RegExp]>([
    [
      "names a resource that it is not",
      { resourceMetadata: (metadata) => ({ ...metadata, resource: "https://bank.example/mcp" }) },
      /Protected resource https:\/\/bank\.example\/mcp does not match/,
    ],
    [
      "names an http issuer on another machine",
      { resourceMetadata: (metadata) => ({ ...metadata, authorization_servers: ["http://login.example"] }) },
      /http:\/\/login\.example, which is not an https address/,
    ],
    [
      "names an issuer in a private network",
      {
        resourceMetadata: (metadata) => ({ ...metadata, authorization_servers: ["https://169.254.169.254"] }),
      },
      /names the .* address https:\/\/169\.254\.169\.254/,
    ],
    [
      "has metadata of another issuer",
      { serverMetadata: (metadata) => ({ ...metadata, issuer: "https://other.example" }) },
      /issuer/i,
    ],
    [
      "sends the code to a token endpoint without TLS",
      { serverMetadata: (metadata) => ({ ...metadata, token_endpoint: "http://other.example/token" }) },
      /http:\/\/other\.example|TLS|https/,
    ],
    [
      "sends the browser to a file",
      { serverMetadata: (metadata) => ({ ...metadata, authorization_endpoint: "file:///etc/passwd" }) },
      /not an https address/,
    ],
    [
      "does not support PKCE with S256",
      { serverMetadata: (metadata) => ({ ...metadata, code_challenge_methods_supported: ["plain"] }) },
      /code challenge method/i,
    ],
    [
      "answers as another issuer",
      { redirect: (query) => query.set("iss", "https://other.example") },
      /issuer/i,
    ],
    ["answers without the issuer that it promised", { redirect: (query) => query.delete("iss") }, /iss/i],
    [
      "has endless metadata",
      {
        answer: (request, response) => {
          if (!request.url?.includes("oauth-authorization-server")) return false;
          response.writeHead(200, { "content-type": "application/json" });
          const talk = () => {
            while (!response.destroyed && response.write("[".repeat(64 * 1024)));
          };
          response.on("drain", talk);
          talk();
          return true;
        },
      },
      /exceeds 256 KB/,
    ],
    [
      "redirects a request for metadata",
      {
        answer: (request, response) => {
          if (!request.url?.includes("oauth-authorization-server")) return false;
          response.writeHead(302, { location: "http://127.0.0.1:1/secret" }).end();
          return true;
        },
      },
      /redirects to another address/,
    ],
    [
      "repeats the code in an error",
      {
        answer: (request, response, body) => {
          if (request.url !== "/token") return false;
          response.writeHead(400, { "content-type": "application/json" });
          response.end(JSON.stringify({ error: "invalid_scope", error_description: body }));
          return true;
        },
      },
      /failed: it answered invalid_scope$/,
    ],
    [
      "returns a token in a form instead of JSON",
      {
        answer: (request, response) => {
          if (request.url !== "/token") return false;
          response.writeHead(200).end("access_token=secret-token&token_type=bearer");
          return true;
        },
      },
      /failed: http:\/\/127\.0\.0\.1:\d+ returned something other than JSON$/,
    ],
    [
      "returns a token with a line end",
      {
        answer: (request, response) => {
          if (request.url !== "/token") return false;
          response.writeHead(200, { "content-type": "application/json" });
          response.end(JSON.stringify({ access_token: "a\r\nX-Evil: 1", token_type: "Bearer" }));
          return true;
        },
      },
      /failed: The authorization server returned a token that no header can contain$/,
    ],
  ])("that %s gets no login", async (_, options, reason) => {
    await using fixture = await loginFixture(options);
    await expect(fixture.login()).rejects.toThrow(reason);
    expect(fixture.store.read({ name: "one", url: new URL(fixture.server.url) })).toBeUndefined();
  });

  it("does not get the headers of the settings at its authorization server", async () => {
    await using fixture = await loginFixture();
    const seen: (string | undefined)[] = [];
    await using other = await protectedServer({
      answer: (request) => {
        if (request.url !== "/mcp") seen.push(request.headers["x-key"] as string | undefined);
        return false;
      },
    });
    await fixture.login({ url: other.url, headers: { "X-Key": "value-of-the-header" } });
    expect(new Set(seen)).toEqual(new Set([undefined]));
  });

  it("gets the client's secret only as the issuer of the settings", async () => {
    await using fixture = await loginFixture();
    const oauth = { clientId: "me", clientSecret: "secret-of-the-client", issuer: "https://login.example" };
    await expect(fixture.login({ oauth })).rejects.toThrow("not https://login.example as in its settings");
    expect(JSON.stringify(fixture.server.requests)).not.toContain(oauth.clientSecret);
    await expect(async () => fixture.login({ oauth: { ...oauth, issuer: undefined } })).rejects.toThrow(
      "its `oauth.clientSecret` needs `oauth.clientId` and `oauth.issuer`",
    );
  });
});

it("ignores redirects with a wrong state, host or path, and takes the right one", async () => {
  await using fixture = await loginFixture();
  const statuses: number[] = [];
  await fixture.login({}, "one", async (address) => {
    const redirect = address.searchParams.get("redirect_uri")!;
    const state = address.searchParams.get("state")!;
    for (const attempt of [
      `${redirect}?code=x&state=${"A".repeat(state.length)}`,
      `${redirect}?code=x`,
      `${redirect}?code=x&state=${state}&state=${state}`,
      `${redirect.replace("/callback", "/")}?code=x&state=${state}`,
      `${redirect.replace("127.0.0.1", "localhost")}?code=x&state=${state}`,
    ])
      statuses.push((await fetch(attempt)).status);
    statuses.push(await consent(address));
  });
  expect(statuses).toEqual([400, 400, 400, 400, 400, 200]);
});

it("does not read a damaged or linked file as a login", async () => {
  await using fixture = await loginFixture();
  await fixture.login();
  const server = { name: "one", url: new URL(fixture.server.url) };
  const folder = join(fixture.stateDirectory, "mcp-logins");
  const file = join(folder, readdirSync(folder).find((name) => name.endsWith(".json"))!);
  const content = readFileSync(file, "utf8");
  writeFileSync(file, content.slice(0, -5));
  expect(fixture.store.read(server)).toBeUndefined();
  fixture.store.remove(server);
  writeFileSync(join(fixture.folder, "elsewhere"), content);
  symlinkSync(join(fixture.folder, "elsewhere"), file);
  expect(fixture.store.read(server)).toBeUndefined();
  expect(await fixture.store.removeNamed("one", AbortSignal.timeout(60_000))).toEqual([]);
  expect(existsSync(join(fixture.folder, "elsewhere"))).toBe(true);
});
