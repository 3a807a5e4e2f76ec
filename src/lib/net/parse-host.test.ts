import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseHost, parseHostAndPort } from "./parse-host.ts";

describe("parseHostAndPort", () => {
  it.each([
    ["example.com:443", { host: "example.com", port: 443 }],
    ["EXAMPLE.Com.:443", { host: "example.com", port: 443 }],
    ["xn--bcher-kva.example:80", { host: "xn--bcher-kva.example", port: 80 }],
    ["my_host:1", { host: "my_host", port: 1 }],
    ["localhost", { host: "localhost", port: 80 }],
    ["127.0.0.1:8080", { host: "127.0.0.1", port: 8080 }],
    ["127.1:8080", { host: "127.0.0.1", port: 8080 }],
    ["2130706433:80", { host: "127.0.0.1", port: 80 }],
    ["0x7f000001:80", { host: "127.0.0.1", port: 80 }],
    ["0177.0.0.1:80", { host: "127.0.0.1", port: 80 }],
    ["[::1]:443", { host: "::1", port: 443 }],
    ["[0:0::1]", { host: "::1", port: 80 }],
    ["[::ffff:127.0.0.1]:443", { host: "::ffff:7f00:1", port: 443 }],
  ])("reads %s", (text, target) => {
    expect(parseHostAndPort(text, 80)).toEqual(target);
  });

  it.each([
    "",
    ":443",
    ".",
    "..",
    "a..b:443",
    ".a:443",
    "example.com..:443",
    "example.com:",
    "example.com:0",
    "example.com:65536",
    "example.com:+443",
    "example.com:443:443",
    "example.com:443 ",
    " example.com:443",
    "evil\u0000.allowed.com:443",
    "allowed.com\n.evil.com:443",
    "allowed.com\n:443",
    "user@example.com:443",
    "user:password@example.com:443",
    "example.com%00:443",
    "example.com%2eevil:443",
    "example.com/path:443",
    "example.com#a:443",
    "example.com?a:443",
    "example.com\\a:443",
    "ｅxample.com:443",
    "１２７.0.0.1:443",
    "bücher.example:443",
    "example。com:443",
    "::1:443",
    "[::1:443",
    "::1]:443",
    "[fe80::1%eth0]:443",
    "[fe80::1%25eth0]:443",
    "[example.com]:443",
    "[127.0.0.1]:443",
    "[::1]a:443",
    "256.256.256.256:443",
    "1.2.3.4.5:443",
    `${"a".repeat(64)}.example:443`,
    `${"a.".repeat(127)}example:443`,
  ])("refuses %j", (text) => {
    expect(parseHostAndPort(text, 80)).toBeUndefined();
  });

  it("needs a port unless one is given", () => {
    expect(parseHostAndPort("example.com")).toBeUndefined();
  });
});

describe("parseHost", () => {
  it("reads its own spelling as the same host", () => {
    fc.assert(
      fc.property(fc.oneof(fc.domain(), fc.ipV4(), fc.ipV6(), fc.string()), (text) => {
        const host = parseHost(text);
        if (host !== undefined) expect(parseHost(host)).toBe(host);
      }),
    );
  });

  it("lets no character pass that a resolver could end a name at", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(parseHost(text) ?? "a").toMatch(/^[a-z0-9_:.-]+$/);
      }),
    );
  });
});
