import { connect } from "node:net";
import { buffer } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { echo, listen, openProxyLab } from "../../../../test/support/network/proxy-lab.ts";

const greeting = Buffer.from([5, 1, 0]);

describe("serveSocks", () => {
  it("connects to a name or an address, and forwards early data", async () => {
    await using server = await echo("got ");
    await using lab = await openProxyLab({
      mayConnect: () => true,
      resolve: async () => [{ address: "127.0.0.1", family: 4 }],
    });
    const answers = [
      await lab.ask(greeting, named("some.example", server.port), "early ", "late"),
      await lab.ask(
        Buffer.concat([greeting, addressed([127, 0, 0, 1], server.port), Buffer.from("all at once")]),
      ),
    ];
    expect(answers.map(hex)).toEqual([
      hex(`\u0005\u0000${reply(0)}got early late`),
      hex(`\u0005\u0000${reply(0)}got all at once`),
    ]);
  });

  it("accepts input byte by byte", async () => {
    await using server = await echo();
    await using lab = await openProxyLab({ mayConnect: () => true });
    const socket = connect({ port: lab.port, host: "127.0.0.1", allowHalfOpen: true, noDelay: true });
    const answer = buffer(socket);
    for (const byte of Buffer.concat([
      greeting,
      addressed([127, 0, 0, 1], server.port),
      Buffer.from("hello"),
    ])) {
      socket.write(Buffer.from([byte]));
      await pause(1);
    }
    socket.end();
    expect(hex((await answer).toString("latin1"))).toBe(hex(`\u0005\u0000${reply(0)}hello`));
  });

  it.each([
    ["a host that no rule allows", named("refused.example", 443), 2],
    ["a name with a NUL", named("evil\u0000.allowed.example", 443), 2],
    ["another command", Buffer.from([5, 2, 0, 1, 127, 0, 0, 1, 0, 80]), 7],
    ["an unknown name", named("unknown.allowed.example", 443), 4],
  ])("refuses %s", async (_what, request, code) => {
    await using lab = await openProxyLab({
      mayConnect: (host) => host.endsWith("allowed.example"),
      resolve: async () => [],
    });
    expect(hex(await lab.ask(greeting, request, "secret"))).toBe(hex(`\u0005\u0000${reply(code)}`));
  });

  it("serves only clients that know the secret", async () => {
    await using server = await listen((socket) => socket.end("hello"));
    await using lab = await openProxyLab({ mayConnect: () => true, secret: "word" });
    const request = addressed([127, 0, 0, 1], server.port);
    const answers = [
      await lab.ask(greeting, request),
      await lab.ask(Buffer.from([5, 2, 0, 2]), login("toolcrib", "other"), request),
      await lab.ask(Buffer.from([5, 2, 0, 2]), login("toolcrib", "word"), request),
    ];
    expect(answers.map(hex)).toEqual([
      hex("\u0005\u00ff"),
      hex("\u0005\u0002\u0001\u0001"),
      hex(`\u0005\u0002\u0001\u0000${reply(0)}hello`),
    ]);
  });

  it.each([[[5]], [[5, 0]], [[5, 1, 0, 4]], [[5, 1, 0, 5, 1, 0, 9, 0]]])("rejects %j", async (bytes) => {
    await using lab = await openProxyLab({ mayConnect: () => true });
    expect(["05ff", "0500"]).toContain(hex(await lab.ask(Buffer.from(bytes))));
  });
});

function named(host: string, port: number): Buffer {
  const bytes = Buffer.from(host, "latin1");
  return Buffer.from([5, 1, 0, 3, bytes.length, ...bytes, port >> 8, port & 255]);
}

function addressed(address: readonly number[], port: number): Buffer {
  return Buffer.from([5, 1, 0, 1, ...address, port >> 8, port & 255]);
}

function login(name: string, password: string): Buffer {
  return Buffer.from([1, name.length, ...Buffer.from(name), password.length, ...Buffer.from(password)]);
}

function reply(code: number): string {
  return String.fromCharCode(5, code, 0, 1, 0, 0, 0, 0, 0, 0);
}

function hex(latin1: string): string {
  return Buffer.from(latin1, "latin1").toString("hex");
}
