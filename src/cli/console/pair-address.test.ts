import { describe, expect, it } from "vitest";
import { type NetworkAddress, pairAddress } from "./pair-address.ts";

const home = { name: "wlan0", address: "192.168.1.5" };
const tunnel = { name: "tun0", address: "100.64.0.7" };

function choose(options: Readonly<Record<string, string>>, addresses: readonly NetworkAddress[]) {
  return pairAddress({ options: new Map(Object.entries(options)) }, addresses);
}

describe("the address for --pair", () => {
  it("is none without --pair, the only one of the machine, or the one that --host names", () => {
    expect(choose({}, [home, tunnel])).toBeUndefined();
    expect(choose({ pair: "" }, [home])).toBe("192.168.1.5");
    expect(choose({ pair: "", host: "100.64.0.7" }, [home, tunnel])).toBe("100.64.0.7");
  });

  it("is never chosen among several, and there must be one", () => {
    expect(() => choose({ pair: "" }, [home, tunnel])).toThrow(
      expect.objectContaining({
        message: "This machine has several addresses: 192.168.1.5 (wlan0), 100.64.0.7 (tun0)",
        hint: "Run: toolcrib console --pair --host 192.168.1.5, or: toolcrib console --pair --host 100.64.0.7",
      }),
    );
    expect(() => choose({ pair: "" }, [])).toThrow(
      "This machine has no address that another device can reach",
    );
  });

  it.each(["127.0.0.1", "0.0.0.0", "::", "localhost", "10.9.9.9", ""])("cannot be %j", (host) => {
    expect(() => choose({ pair: "", host }, [home])).toThrow(
      "--host must be an IPv4 address of this machine",
    );
  });

  it("needs --pair", () => {
    expect(() => choose({ host: "192.168.1.5" }, [home])).toThrow("--host needs --pair");
  });
});
