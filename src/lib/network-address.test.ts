import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyCodePoint } from "../../test/support/any-code-point.ts";
import { kindOfAddress, parseHost, parseHostAndPort } from "./network-address.ts";

const kinds: Record<string, readonly string[]> = {
  public: [
    "1.1.1.1",
    "8.8.8.8",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "192.167.255.255",
    "192.169.0.0",
    "223.255.255.255",
    "2606:4700:4700::1111",
    "[2606:4700:4700::1111]",
    "2001:4860:4860::8888",
    "::ffff:8.8.8.8",
    "64:ff9b::808:808",
    "2002:808:808::1",
    "2606:4700::5efe:808:808",
  ],
  unspecified: ["0.0.0.0", "0.1.2.3", "::", "[::]", "::ffff:0.0.0.0", "64:ff9b::"],
  loopback: [
    "127.0.0.1",
    "127.255.255.255",
    "::1",
    "[::1]",
    "0:0:0:0:0:0:0:1",
    "::1%lo",
    "::ffff:127.0.0.1",
    "[::ffff:7f00:1]",
    "::FFFF:7F00:1",
    "::ffff:0:127.0.0.1",
    "::127.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b::127.0.0.1",
    "2002:7f00:1::",
    "2606:4700::5efe:7f00:1",
    "2606:4700::200:5efe:7f00:1",
  ],
  private: [
    "10.0.0.1",
    "10.255.255.255",
    "172.16.0.0",
    "172.31.255.255",
    "192.168.1.1",
    "fc00::1",
    "fd12:3456:789a::1",
    "fec0::1",
    "64:ff9b:1::1",
    "::ffff:10.0.0.1",
    "2002:c0a8:101::1",
  ],
  shared: ["100.64.0.0", "100.127.255.255", "::ffff:100.64.0.1"],
  "link-local": [
    "169.254.0.1",
    "169.254.255.255",
    "fe80::1",
    "fe80::1%eth0",
    "[fe80::1%25eth0]",
    "febf::1",
    "fe80::5efe:808:808",
  ],
  metadata: [
    "169.254.169.254",
    "169.254.170.2",
    "168.63.129.16",
    "100.100.100.200",
    "192.0.0.192",
    "fd00:ec2::254",
    "fd20:ce::254",
    "::ffff:169.254.169.254",
    "64:ff9b::a9fe:a9fe",
    "2002:a9fe:a9fe::",
  ],
  multicast: ["224.0.0.1", "239.255.255.255", "ff02::1", "ff00::"],
  documentation: ["192.0.2.1", "198.51.100.1", "203.0.113.255", "2001:db8::1", "3fff::1"],
  reserved: [
    "192.0.0.1",
    "192.88.99.1",
    "198.18.0.1",
    "198.19.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "2001::1",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "2001:10::1",
    "100::1",
    "4000::1",
    "5f00::1",
    "fe00::1",
    "1::",
  ],
};

describe("kindOfAddress", () => {
  it.each(Object.entries(kinds))("recognizes %s addresses in every form", (kind, addresses) => {
    expect(addresses.map((address) => [address, kindOfAddress(address)])).toEqual(
      addresses.map((address) => [address, kind]),
    );
  });

  it("rejects anything that is not an address", () => {
    const texts = [
      "",
      "localhost",
      "127.1",
      "256.0.0.1",
      "1.2.3.4.5",
      "0x7f000001",
      "2130706433",
      "::1::",
      "1:2",
    ];
    const strange = [
      "[::1",
      "::g",
      "1.2.3.4\n",
      "\u0000::1",
      "１２７.0.0.1",
      "fe80::1%",
      "::ffff:1.2.3",
      ":",
    ];
    for (const text of [...texts, ...strange]) expect([text, kindOfAddress(text)]).toEqual([text, undefined]);
  });

  it("classifies every form with an embedded IPv4 address by that address", () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const [a, b, c, d] = address.split(".").map((byte) => Number(byte).toString(16).padStart(2, "0"));
        const kind = kindOfAddress(address);
        const forms = [
          `::ffff:${address}`,
          `::ffff:0:${address}`,
          `64:ff9b::${address}`,
          `2002:${a}${b}:${c}${d}::1`,
        ];
        expect(forms.map(kindOfAddress)).toEqual(forms.map(() => kind));
      }),
    );
  });

  it("classifies every IPv6 address", () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        expect(kindOfAddress(address)).toBeDefined();
      }),
    );
  });
});

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

  it("requires a port unless a default is given", () => {
    expect(parseHostAndPort("example.com")).toBeUndefined();
  });
});

describe("parseHost", () => {
  it("parses its own output as the same host", () => {
    fc.assert(
      fc.property(fc.oneof(fc.domain(), fc.ipV4(), fc.ipV6(), fc.string()), (text) => {
        const host = parseHost(text);
        if (host !== undefined) expect(parseHost(host)).toBe(host);
      }),
    );
  });

  it("rejects characters at which a resolver could end a name", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCodePoint }), (text) => {
        expect(parseHost(text) ?? "a").toMatch(/^[a-z0-9_:.-]+$/);
      }),
    );
  });
});
