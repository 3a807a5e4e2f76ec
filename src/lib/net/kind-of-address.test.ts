import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { kindOfAddress } from "./kind-of-address.ts";

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
  it.each(Object.entries(kinds))("knows %s addresses in every form", (kind, addresses) => {
    expect(addresses.map((address) => [address, kindOfAddress(address)])).toEqual(
      addresses.map((address) => [address, kind]),
    );
  });

  it("takes nothing else for an address", () => {
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

  it("judges every form that carries an address of version 4 by that one", () => {
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

  it("has an answer for every address of version 6", () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        expect(kindOfAddress(address)).toBeDefined();
      }),
    );
  });
});
