import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { listen, openProxyLab } from "../../test/support/network/proxy-lab.ts";
import { kindOfAddress } from "../lib/network-address.ts";
import { ConnectionError, OutboundNetwork } from "./network-policy.ts";

/** Every address that is not private, as in mode "yolo". */
const everythingPublic = (host: string) =>
  host !== "localhost" && (kindOfAddress(host) ?? "public") === "public";

describe("OutboundNetwork", () => {
  it("refuses a name that resolves to an address without a rule", async () => {
    const wayOut = new OutboundNetwork({
      mayConnect: everythingPublic,
      resolve: async () => [
        { address: "10.0.0.5", family: 4 },
        { address: "::1", family: 6 },
      ],
    });
    const open = () => wayOut.open({ host: "inner.example", port: 443 });
    await expect(open()).rejects.toThrow(ConnectionError);
    await expect(open()).rejects.toThrow("the user can add the rule: allow connect 10.0.0.5");
    expect(wayOut.refusals.remarks()).toEqual([
      'refused inner.example:443, which is at 10.0.0.5 (private) (2 times): to allow it, add the rule "allow connect 10.0.0.5"',
    ]);
  });

  it("refuses an internet address that a rule denies, even when its name is allowed", async () => {
    const wayOut = new OutboundNetwork({
      mayConnect: (host) => host !== "9.9.9.9",
      resolve: async () => [{ address: "9.9.9.9", family: 4 }],
    });
    await expect(wayOut.open({ host: "some.example", port: 443 })).rejects.toThrow("a rule denies 9.9.9.9");
    expect(wayOut.refusals.remarks()).toEqual([
      "refused some.example:443, which is at 9.9.9.9 (public): one of your rules denies 9.9.9.9",
    ]);
  });

  it("connects only to addresses that it checked", async () => {
    await using allowed = await listen((socket) => socket.end(), { host: "127.0.0.2" });
    let answers = 0;
    const wayOut = new OutboundNetwork({
      mayConnect: (host) => host === "some.example" || host === "127.0.0.2",
      resolve: async () =>
        answers++ === 0
          ? [
              { address: "127.0.0.1", family: 4 },
              { address: "127.0.0.2", family: 4 },
              { address: "::1", family: 6 },
            ]
          : [{ address: "127.0.0.1", family: 4 }],
    });
    const socket = await wayOut.open({ host: "some.example", port: allowed.port });
    const { remoteAddress } = socket;
    wayOut.close();
    expect({ remoteAddress, answers }).toEqual({ remoteAddress: "127.0.0.2", answers: 1 });
  });

  it("treats a public address of this machine as this machine", async () => {
    const wayOut = new OutboundNetwork({
      mayConnect: everythingPublic,
      resolve: async () => [{ address: "9.9.9.9", family: 4 }],
      own: () => new Set(["9.9.9.9", "2a00:0::1"]),
    });
    const targets = (hosts: readonly string[]) =>
      hosts.map((host) =>
        wayOut.open({ host, port: 80 }).then(String, (error: ConnectionError) => error.found),
      );
    const reached = targets(["own.example", "9.9.9.9", "::ffff:909:909", "2a00::1"]);
    const addresses = ["9.9.9.9", "9.9.9.9", "::ffff:909:909", "2a00::1"];
    expect(await Promise.all(reached)).toEqual(
      addresses.map((address) => ({ address, kind: "this machine", named: "localhost" })),
    );
  });

  it("refuses every disguised form of an address without a rule", async () => {
    await using lab = await openProxyLab({ mayConnect: everythingPublic });
    const disguises = [
      ...["127.0.0.1", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "0x7f.1", "127.0.0.1."],
      ...["0", "0.0.0.0", "169.254.169.254", "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]"],
      ...[
        "[::127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
        "[2001::1]",
        "[fe80::1]",
        "[fd00:ec2::254]",
      ],
      ...["localhost", "LOCALHOST.", "10.1.2.3", "192.168.0.1", "100.64.0.1", "224.0.0.1", "255.255.255.255"],
    ];
    const answers = await Promise.all(
      disguises.map(async (host) => [
        host,
        (await lab.ask(`CONNECT ${host}:9 HTTP/1.1\r\n\r\n`)).slice(0, 12),
      ]),
    );
    expect(answers).toEqual(disguises.map((host) => [host, "HTTP/1.1 403"]));
  });

  it("checks each host in one spelling, for any input to the proxy", { tags: "slow" }, async () => {
    const asked = new Set<string>();
    await using lab = await openProxyLab({
      mayConnect: (host) => {
        asked.add(host);
        return false;
      },
    });
    const host = fc.oneof(fc.string({ unit: "binary-ascii" }), fc.domain(), fc.webAuthority(), fc.ipV6());
    const spelling = fc.oneof(
      host.map((name) => Buffer.from(`CONNECT ${name}:443 HTTP/1.1\r\n\r\n`)),
      host.map((name) => Buffer.from(`GET http://${name}/ HTTP/1.1\r\nHost: a\r\n\r\n`)),
      host.map((name) => Buffer.from([5, 1, 0, 5, 1, 0, 3, name.length & 255, ...Buffer.from(name), 1, 187])),
      fc.uint8Array().map((bytes) => Buffer.from(bytes)),
    );
    await fc.assert(
      fc.asyncProperty(spelling, async (bytes) => {
        await lab.ask(bytes);
      }),
      { numRuns: 300 },
    );
    for (const name of asked) expect(name).toMatch(/^([a-z0-9_-]+(\.[a-z0-9_-]+)*|[0-9a-f:]+)$/);
    expect(asked.size).toBeGreaterThan(10);
  });
});
