// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is what people write in their files
import { generateKeyPairSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import { readSettings } from "./read-settings.ts";

const variables = { TOKEN: "secret-token", HOME: "/home/ada", EMPTY: "" };

it("reads a program with its defaults, and expands variables", () => {
  const given = {
    command: "./bin/server",
    args: ["--home", "${HOME}", "${MISSING:-else}", "$HOME"],
    env: { KEY: "${TOKEN}" },
    cwd: "sub",
    alwaysAllow: ["x"],
  };
  expect(read(given)).toEqual({
    name: "one",
    transport: {
      kind: "stdio",
      command: "/work/sub/bin/server",
      args: ["--home", "/home/ada", "else", "$HOME"],
      env: { KEY: "secret-token" },
      cwd: "/work/sub",
    },
    timeoutMs: 60_000,
    startTimeoutMs: 30_000,
    tools: undefined,
    protocol: "2025",
    trustsAnnotations: false,
    sendsRoots: true,
    files: {},
    secrets: ["secret-token", "/home/ada"],
  });
});

it("reads a URL, and treats its headers as secrets", () => {
  const given = {
    type: "http",
    url: "https://example.com/mcp",
    headers: { Authorization: "Bearer ${TOKEN}" },
    timeoutMs: 5_000,
    startTimeoutMs: 6_000,
    tools: ["get_*"],
    trustAnnotations: true,
    roots: false,
  };
  expect(read(given)).toEqual({
    name: "one",
    transport: {
      kind: "http",
      url: new URL("https://example.com/mcp"),
      headers: { Authorization: "Bearer secret-token" },
    },
    timeoutMs: 5_000,
    startTimeoutMs: 6_000,
    tools: ["get_*"],
    protocol: "auto",
    trustsAnnotations: true,
    sendsRoots: false,
    files: {},
    secrets: ["Bearer secret-token", "secret-token"],
  });
});

it("explains why a server cannot be used", () => {
  const wrong = [
    7,
    {},
    { command: "" },
    { command: "x", args: "y" },
    { command: "x", env: { A: "${MISSING}" } },
    { command: "x", env: { A: "${EMPTY}" } },
    { url: "file:///etc/passwd" },
    { url: "no address" },
    { type: "sse", url: "http://localhost/sse" },
    { command: "x", timeoutMs: 0 },
    { command: "x", protocol: "2024" },
  ];
  expect([...wrong.map(read), read({ command: "x", disabled: true })]).toEqual([
    "its `configuration` is not valid",
    "it has neither `command` nor `url`",
    "its `command` is not valid",
    "its `args` is not valid",
    "the environment variable MISSING is not set",
    "the environment variable EMPTY is not set",
    "its `url` is not an http address",
    "its `url` is not an http address",
    "the transport `sse` is not supported: use `http`",
    "its `timeoutMs` is not valid",
    "its `protocol` is not valid",
    "disabled",
  ]);
});

it("lists secrets by each of their lines, the longest first, and those in a URL", () => {
  const secretsOf = (given: unknown) => (read(given) as { secrets: readonly string[] }).secrets;
  expect(
    secretsOf({ command: "a", env: { SHORT: "secret-1", KEY: "secret-1-and-more\nsecond line \n" } }),
  ).toEqual(["secret-1-and-more\nsecond line \n", "secret-1-and-more", "second line", "secret-1"]);
  expect(secretsOf({ url: "http://localhost/mcp?key=in-the-address" })).toEqual(["in-the-address"]);
  expect(read({ url: "http://me:password@localhost/mcp" })).toBe(
    "its `url` contains a name or password: put them in `headers`",
  );
});

describe("a program that logs in", () => {
  const url = "https://example.com/mcp";
  const client = { clientId: "me", issuer: "https://login.example" };
  const program = { ...client, grant: "client_credentials" };
  const keyOf = (namedCurve: string) =>
    generateKeyPairSync("ec", { namedCurve }).privateKey.export({ type: "pkcs8", format: "pem" }) as string;

  it("has a secret or a key, which is hidden line by line", () => {
    const withSecret = read({ url, oauth: { ...program, clientSecret: "${TOKEN}", scope: "read" } });
    expect(withSecret).toMatchObject({
      transport: {
        oauth: { ...client, credential: { kind: "secret", clientSecret: "secret-token" }, scope: "read" },
      },
      secrets: ["secret-token"],
    });
    const privateKey = keyOf("P-256");
    const withKey = read({ url, oauth: { ...program, privateKey: privateKey.replaceAll("\n", "\\n") } });
    expect(withKey).toMatchObject({
      transport: { oauth: { ...client, credential: { kind: "key", privateKey, algorithm: "ES256" } } },
      secrets: expect.arrayContaining(privateKey.trim().split("\n")),
    });
  });

  it("explains settings that do not fit together", () => {
    const [clientSecret, privateKey] = ["secret", keyOf("P-384")];
    const header = { url, headers: { authorization: "x" }, oauth: { ...program, clientSecret } };
    const wrong = [
      { ...program, grant: "password", clientSecret },
      program,
      { ...program, clientSecret, privateKey },
      { ...program, clientSecret: "" },
      { ...program, clientSecret, issuer: undefined },
      { ...program, clientSecret, clientId: undefined },
      { ...program, clientSecret, issuer: "login" },
      { ...program, clientSecret, algorithm: "ES256" },
      { ...program, privateKey },
      { ...program, privateKey, algorithm: "RS256" },
      { ...program, privateKey, algorithm: "none" },
      { ...program, privateKey: "secret" },
      { clientId: "me", privateKey },
      { ...program, clientSecret, assertion: "a.b.c" },
      { ...program, grant: "jwt_bearer", clientSecret },
      { ...program, grant: "jwt_bearer", assertion: "a.b.c", privateKey },
      { ...program, grant: "jwt_bearer", assertionFile: "token" },
      {
        ...program,
        grant: "jwt_bearer",
        assertion: "a.b.c",
        identityProvider: { tokenEndpoint: "x", clientId: "me" },
      },
      { ...program, grant: "jwt_bearer", assertion: "a.b.c", identityProvider: { tokenEndpoint: "x" } },
    ];
    expect([...wrong.map((oauth) => read({ url, oauth })), read(header)]).toEqual([
      "its `oauth.grant` is not valid",
      "its `oauth.grant` needs either `oauth.clientSecret` or `oauth.privateKey`",
      "its `oauth.grant` needs either `oauth.clientSecret` or `oauth.privateKey`",
      "its `oauth.grant` needs either `oauth.clientSecret` or `oauth.privateKey`",
      "its `oauth.grant` needs `oauth.clientId` and `oauth.issuer`",
      "its `oauth.grant` needs `oauth.clientId` and `oauth.issuer`",
      "its `oauth.issuer` is not an address",
      "its `oauth.algorithm` needs `oauth.privateKey`",
      "its `oauth.privateKey` does not fit the `oauth.algorithm` ES256",
      "its `oauth.privateKey` does not fit the `oauth.algorithm` RS256",
      "its `oauth.algorithm` is not valid",
      "its `oauth.privateKey` is not a private key in PEM format without a passphrase",
      "only `clientId`, `clientSecret`, `issuer` and `scope` of its `oauth` work without `grant`",
      "its `oauth.assertion`, `oauth.assertionFile` and `oauth.identityProvider` need the `oauth.grant` jwt_bearer",
      "its `oauth.grant` needs either `oauth.assertion` or `oauth.assertionFile`",
      "its `oauth.privateKey` and `oauth.algorithm` need the `oauth.grant` client_credentials",
      "its `oauth.assertionFile` is not an absolute path",
      "its `oauth.identityProvider.tokenEndpoint` is not an address",
      "its `oauth.identityProvider.clientId` is not valid",
      "its `oauth.grant` cannot be used with an `Authorization` header",
    ]);
  });
});

function read(given: unknown): unknown {
  try {
    return readSettings("one", given, { workspace: "/work", variables });
  } catch (error) {
    return (error as Error).message;
  }
}
