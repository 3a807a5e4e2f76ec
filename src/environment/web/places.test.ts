import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { certificate } from "../../../test/support/network/certificate.ts";
import { ask, serve, serveSecurely } from "../../../test/support/web/web-lab.ts";
import { kindOfAddress } from "../../lib/network-address.ts";

/** As in mode "yolo": every public address. */
const everythingPublic = (host: string) => (kindOfAddress(host) ?? "public") === "public";
const ok = ["HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"];
const at = (...addresses: readonly string[]) =>
  addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));

describe("the target of an exchange", () => {
  it.each([
    ["127.0.0.1", "127.0.0.1"],
    ["127.1", "127.0.0.1"],
    ["2130706433", "127.0.0.1"],
    ["0x7f000001", "127.0.0.1"],
    ["0177.0.0.1", "127.0.0.1"],
    ["0x7f.1", "127.0.0.1"],
    ["127.0.0.1.", "127.0.0.1"],
    ["１２７.0.0.1", "127.0.0.1"],
    ["127。0。0。1", "127.0.0.1"],
    ["①②⑦.0.0.1", "127.0.0.1"],
    ["%31%32%37.0.0.1", "127.0.0.1"],
    ["0", "0.0.0.0"],
    ["10.1.2.3", "10.1.2.3"],
    ["172.16.0.1", "172.16.0.1"],
    ["192.168.0.1", "192.168.0.1"],
    ["100.64.0.1", "100.64.0.1"],
    ["169.254.169.254", "169.254.169.254"],
    ["2852039166", "169.254.169.254"],
    ["224.0.0.1", "224.0.0.1"],
    ["255.255.255.255", "255.255.255.255"],
    ["192.0.2.1", "192.0.2.1"],
    ["[::]", "::"],
    ["[::1]", "::1"],
    ["[::ffff:127.0.0.1]", "::ffff:7f00:1"],
    ["[::ffff:7f00:1]", "::ffff:7f00:1"],
    ["[::127.0.0.1]", "::7f00:1"],
    ["[64:ff9b::7f00:1]", "64:ff9b::7f00:1"],
    ["[2002:7f00:1::]", "2002:7f00:1::"],
    ["[2001::1]", "2001::1"],
    ["[fe80::1]", "fe80::1"],
    ["[fc00::1]", "fc00::1"],
    ["[ff02::1]", "ff02::1"],
    ["[fd00:ec2::254]", "fd00:ec2::254"],
  ])("is refused as %s, in any spelling, and named by its address", async (host, address) => {
    const url = new URL(`http://${host}:9/`);
    expect(await ask(url.href, { mayConnect: everythingPublic })).toEqual({
      error: `denied: No rule lets this call connect to ${url.host}`,
      hint: `Ask the user to add the rule: allow connect ${address}`,
    });
  });

  it.each([
    "localhost",
    "LOCALHOST",
    "localhost.",
    "sub.localhost",
    "intern.example",
    "127.0.0.1.nip.example",
  ])("is refused when %s resolves to an address without a rule", async (host) => {
    const answer = await ask(
      `http://${host}/`,
      { mayConnect: everythingPublic },
      { resolve: async () => at("10.0.0.5", "::1") },
    );
    expect(answer).toEqual({
      error: `denied: ${host.toLowerCase()} is at 10.0.0.5 (private), not on the internet`,
      hint: "Ask the user to add the rule: allow connect 10.0.0.5",
    });
  });

  it("is only an address that was checked, even if the name resolves differently later", async () => {
    await using judged = await serve(ok, { host: "127.0.0.2" });
    const asked: string[] = [];
    const answer = await ask(
      `http://rebinding.example:${judged.port}/`,
      { mayConnect: (host) => ["rebinding.example", "127.0.0.2"].includes(host) },
      {
        resolve: async (host) => {
          asked.push(host);
          return asked.length === 1 ? at("127.0.0.1", "10.0.0.1", "127.0.0.2") : at("127.0.0.1");
        },
      },
    );
    expect([answer, asked, judged.requests]).toEqual([
      { status: 200, headers: { "content-length": "2" }, body: Buffer.from("ok"), isCut: false },
      ["rebinding.example"],
      [expect.stringContaining(`host: rebinding.example:${judged.port}\r\n`)],
    ]);
  });

  it("is refused without permission from the call", async () => {
    await using server = await serve(ok);
    const url = `http://127.0.0.1:${server.port}/`;
    expect([await ask(url, { mayConnect: undefined }), server.requests]).toEqual([
      {
        error: `denied: No rule lets this call connect to 127.0.0.1:${server.port}`,
        hint: "Ask the user to add the rule: allow connect 127.0.0.1",
      },
      [],
    ]);
  });

  it("is a server of a command first, without permission, and no other one of this machine", async () => {
    await using server = await serve(ok);
    const asked: number[] = [];
    const connectInside = async (port: number) => {
      asked.push(port);
      return port === 3000 ? connect(server.port, "127.0.0.1") : undefined;
    };
    const inside = { connectInside, resolve: async () => at("127.0.0.1") };
    const url = `http://127.0.0.1:${server.port}/`;
    const here = { mayConnect: () => true };
    expect([
      await ask("http://localhost:3000/", {}, inside),
      await ask("http://0.0.0.0:3000/", { isFromInside: true }, inside),
      await ask(url, here, inside),
      await ask(url, { ...here, isFromInside: true }, inside),
      await ask("http://one.example:3000/", { ...here, isFromInside: true }, inside),
      asked,
    ]).toEqual([
      expect.objectContaining({ status: 200, isFromInside: true }),
      expect.objectContaining({ status: 200, isFromInside: true }),
      { status: 200, headers: { "content-length": "2" }, body: Buffer.from("ok"), isCut: false },
      expect.objectContaining({
        error: `denied: No rule lets this call connect to 127.0.0.1:${server.port}`,
      }),
      expect.objectContaining({
        error: "denied: one.example:3000 is at 127.0.0.1 (this machine), not on the internet",
      }),
      [3000, 3000, server.port, server.port],
    ]);
  });

  it.each([
    ["ftp://example.com/", "invalid-input: ftp:// URLs are not supported"],
    ["file:///etc/passwd", "invalid-input: file:// URLs are not supported"],
    ["data:text/plain,x", "invalid-input: data:// URLs are not supported"],
    [
      "http://user@example.com/",
      "invalid-input: The URL contains a user name or password; credentials are never sent",
    ],
    [
      "http://good.example:x@evil.example/",
      "invalid-input: The URL contains a user name or password; credentials are never sent",
    ],
    ["http://exa%6dple.com:0/", "unavailable: example.com has no address"],
    ["http://a!b/", 'invalid-input: "a!b" is not a host'],
  ])("is parsed from %s or refused", async (url, error) => {
    const answer = await ask(url, {}, { resolve: async () => [] });
    expect("error" in answer && answer.error).toBe(error);
  });

  it("is named when it cannot be resolved or reached", async () => {
    const closed = await serve(ok);
    await closed[Symbol.asyncDispose]();
    const resolve = async () => {
      throw Object.assign(new Error("none"), { code: "ENOTFOUND" });
    };
    expect([
      await ask("http://missing.example/", {}, { resolve }),
      await ask(`http://127.0.0.1:${closed.port}/`),
    ]).toEqual([
      {
        error: "unavailable: missing.example could not be resolved (ENOTFOUND)",
        hint: "Check the spelling of the host.",
      },
      {
        error: `unavailable: 127.0.0.1:${closed.port} could not be reached (ECONNREFUSED)`,
        hint: "Try again later, or another address.",
      },
    ]);
  });
});

describe("a secure exchange", () => {
  const resolve = async () => at("127.0.0.1");

  it("sends the host name, and trusts a certificate for it", async () => {
    await using server = await serveSecurely(ok);
    const answer = await ask(`https://SECURE.example.:${server.port}/`, {}, { resolve, ca: certificate });
    expect(["status" in answer ? answer.status : answer, server.requests]).toEqual([
      200,
      [expect.stringMatching(/^secure\.example GET \/ HTTP\/1\.1\r\nhost: secure\.example:\d+\r\n/)],
    ]);
  });

  it.each([
    ["its issuer is not trusted", "secure.example", undefined, "DEPTH_ZERO_SELF_SIGNED_CERT"],
    ["it is for another name", "other.example", certificate, "ERR_TLS_CERT_ALTNAME_INVALID"],
    ["it is not for the address", "127.0.0.1", certificate, "ERR_TLS_CERT_ALTNAME_INVALID"],
  ])("refuses a certificate when %s", async (_what, host, ca, code) => {
    await using server = await serveSecurely(ok);
    expect([await ask(`https://${host}:${server.port}/`, {}, { resolve, ca }), server.requests]).toEqual([
      {
        error: `unavailable: No secure connection to ${host}:${server.port} could be made (${code})`,
        hint: "Ask the user to trust its certificate with NODE_EXTRA_CA_CERTS.",
      },
      [],
    ]);
  });

  it("reports a server that does not speak https", async () => {
    await using server = await serve(ok);
    const answer = await ask(`https://secure.example:${server.port}/`, {}, { resolve, ca: certificate });
    expect(answer).toEqual({
      error: expect.stringMatching(
        /^unavailable: No secure connection to secure\.example:\d+ could be made \(ERR_SSL_\w+\)$/,
      ),
      hint: "Try again later, or check whether this port uses https.",
    });
  });
});
