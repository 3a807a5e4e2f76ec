import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { echo, listen, mirror, openProxyLab } from "../../../../test/support/network/proxy-lab.ts";

const mayConnect = (host: string) => host === "127.0.0.1";

describe("HttpProxy", () => {
  it("forwards a request to the host in its first line, ignoring its headers", async () => {
    await using server = await mirror();
    await using lab = await openProxyLab({ mayConnect });
    const answer = await lab.ask(
      `GET http://127.0.0.1:${server.port}/a%20b?c=d HTTP/1.1\r\n`,
      "Host: evil.example\r\nX-One: 1\r\nx-one: 2\r\nProxy-Connection: keep-alive\r\n",
      "Connection: x-hop, close\r\nX-Hop: gone\r\nProxy-Authorization: Basic eA==\r\n\r\n",
    );
    const sent = `GET /a%20b?c=d HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nX-One: 1\r\nx-one: 2\r\nConnection: close\r\n\r\n`;
    expect(answer).toBe(
      `HTTP/1.1 200 OK\r\nX-Name: a\r\nx-name: b\r\nContent-Length: ${sent.length}\r\nConnection: close\r\n\r\n${sent}`,
    );
  });

  it("accepts several requests on one connection, each to its own host", async () => {
    await using first = await mirror();
    await using second = await mirror();
    await using lab = await openProxyLab({ mayConnect });
    const answer = await lab.ask(
      `GET http://127.0.0.1:${first.port}/1 HTTP/1.1\r\nHost: x\r\n\r\n`,
      "GET http://refused.example/2 HTTP/1.1\r\nHost: x\r\n\r\n",
      `GET http://127.0.0.1:${second.port}/3 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    );
    expect(answer.match(/HTTP\/1.1 \d+|GET \/\d|Host: .*:\d+/g)).toEqual([
      "HTTP/1.1 200",
      "GET /1",
      `Host: 127.0.0.1:${first.port}`,
      "HTTP/1.1 403",
      "HTTP/1.1 200",
      "GET /3",
      `Host: 127.0.0.1:${second.port}`,
    ]);
  });

  it("forwards bodies with both framings", async () => {
    const bodies: string[] = [];
    await using server = await listen(async (socket) => {
      bodies.push((await readUntil(socket, /(hello|0\r\n\r\n)$/)).replace(/^.*\r\n\r\n(?=.)/s, ""));
      socket.end("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
    });
    await using lab = await openProxyLab({ mayConnect });
    const post = `POST http://127.0.0.1:${server.port}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n`;
    await lab.ask(`${post}Content-Length: 5\r\n\r\nhello`);
    await lab.ask(`${post}Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n`);
    expect(bodies).toEqual(["hello", expect.stringMatching(/^(\d\r\n[helo]+\r\n)+0\r\n\r\n$/)]);
  });

  it("refuses a host that no rule allows, suggests the rule, and connects nowhere", async () => {
    await using lab = await openProxyLab({ mayConnect });
    const [request, tunnel] = [
      await lab.ask("GET http://Example.COM/ HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"),
      await lab.ask("CONNECT example.com.:443 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nhello"),
    ];
    const words = (port: number) =>
      `Toolcrib refused the connection to example.com:${port}. To allow it, the user can add the rule: allow connect example.com\n`;
    const head = "HTTP/1.1 403 Denied by Toolcrib\r\n";
    expect([request, tunnel]).toEqual([
      `${head}Content-Type: text/plain\r\nContent-Length: 117\r\nConnection: close\r\n\r\n${words(80)}`,
      `${head}Content-Type: text/plain\r\nContent-Length: 118\r\nConnection: close\r\n\r\n${words(443)}`,
    ]);
    expect(lab.remarks()).toEqual([
      'refused example.com:80: to allow it, add the rule "allow connect example.com"',
      'refused example.com:443: to allow it, add the rule "allow connect example.com"',
    ]);
  });

  it("tunnels bytes both ways, including early ones, and closes each direction separately", async () => {
    await using server = await echo("got ");
    await using lab = await openProxyLab({ mayConnect });
    expect(await lab.ask(`CONNECT 127.0.0.1:${server.port} HTTP/1.1\r\n\r\nearly `, "and late")).toBe(
      "HTTP/1.1 200 Connection established\r\n\r\ngot early and late",
    );
  });

  it("reports a refused connection", async () => {
    const gone = await listen(() => {});
    await gone[Symbol.asyncDispose]();
    await using lab = await openProxyLab({
      mayConnect: () => true,
      resolve: async () => {
        throw Object.assign(new Error(), { code: "ENOTFOUND" });
      },
    });
    const answers = [
      await lab.ask(`CONNECT 127.0.0.1:${gone.port} HTTP/1.1\r\n\r\n`),
      await lab.ask("CONNECT nowhere.example:443 HTTP/1.1\r\n\r\n"),
    ];
    expect(answers.map((answer) => [answer.split("\r\n")[0], answer.split("\r\n\r\n")[1]])).toEqual([
      ["HTTP/1.1 502 Host not reached", `127.0.0.1:${gone.port} could not be reached (ECONNREFUSED)\n`],
      ["HTTP/1.1 502 Host not found", "nowhere.example could not be resolved (ENOTFOUND)\n"],
    ]);
  });

  it.each([
    "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    "GET https://127.0.0.1/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    "GET ftp://127.0.0.1/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    "GET http://user:word@127.0.0.1/ HTTP/1.1\r\nHost: x\r\n\r\n",
    "GET http://evil.example\\@127.0.0.1/ HTTP/1.1\r\nHost: x\r\n\r\n",
    "GET http://127.0.0.1%00.evil.example/ HTTP/1.1\r\nHost: x\r\n\r\n",
    "GET http://127.0.0.1:0/ HTTP/1.1\r\nHost: x\r\n\r\n",
    "GET http://127.0.0.1:99999/ HTTP/1.1\r\nHost: x\r\n\r\n",
    "CONNECT 127.0.0.1 HTTP/1.1\r\n\r\n",
    "CONNECT 127.0.0.1:80@evil.example:80 HTTP/1.1\r\n\r\n",
    "CONNECT http://127.0.0.1:80 HTTP/1.1\r\n\r\n",
    "CONNECT evil\u0000.127.0.0.1:80 HTTP/1.1\r\n\r\n",
    "CONNECT 127.0.0.1:80, evil.example:80 HTTP/1.1\r\n\r\n",
    "POST http://127.0.0.1/ HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "POST http://127.0.0.1/ HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
    "POST http://127.0.0.1/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    "POST http://127.0.0.1/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
    "GET http://127.0.0.1/ HTTP/1.1\r\nHost: x\r\nA: b\r\n c\u0000d\r\n\r\n",
    "\u0016\u0003\u0001",
  ])("refuses %j as a request, without checking any host", async (request) => {
    const asked: string[] = [];
    await using lab = await openProxyLab({
      mayConnect: (host) => {
        asked.push(host);
        return false;
      },
    });
    expect([(await lab.ask(request)).split(/\r\n/)[0], asked]).toEqual(["HTTP/1.1 400 Bad Request", []]);
  });

  it("serves only clients that know the secret", async () => {
    await using server = await mirror();
    await using lab = await openProxyLab({ mayConnect, secret: "word" });
    const known = `Proxy-Authorization: Basic ${Buffer.from("toolcrib:word").toString("base64")}\r\n`;
    const get = `GET http://127.0.0.1:${server.port}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n`;
    const tunnel = `CONNECT 127.0.0.1:${server.port} HTTP/1.1\r\n`;
    const wrong = "Proxy-Authorization: Basic eDp5\r\n";
    const requests = [get, get + wrong, get + known, tunnel, tunnel + wrong, tunnel + known];
    const answers = await Promise.all(requests.map((request) => lab.ask(`${request}\r\n`)));
    expect(answers.map((answer) => answer.slice(9, 12))).toEqual(["407", "407", "200", "407", "407", "200"]);
  });

  it("closes the connection when the server does", async () => {
    await using server = await listen((socket) => {
      socket.once("data", () => {
        socket.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
        setImmediate(() => socket.resetAndDestroy());
      });
    });
    await using lab = await openProxyLab({ mayConnect });
    const answer = await lab.ask(`GET http://127.0.0.1:${server.port}/ HTTP/1.1\r\nHost: x\r\n\r\n`);
    expect(answer).not.toContain("HTTP/1.1 502 Bad Gateway\r\n\r\nHTTP");
    expect(answer.length).toBeLessThan(200);
  });

  it.each([
    "HTTP/1.1 099 Low\r\n\r\n",
    "HTTP/1.1 200 A\u0001B\r\n\r\n",
    "HTTP/1.1 101 Other\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
    "SSH-2.0",
    "",
  ])("returns 502 when a server answers %j", async (response) => {
    await using server = await listen((socket) => void socket.once("data", () => socket.end(response)));
    await using lab = await openProxyLab({ mayConnect });
    const request = `GET http://127.0.0.1:${server.port}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
    expect((await lab.ask(request)).split("\r\n")[0]).toBe("HTTP/1.1 502 Bad Gateway");
  });

  it("closes the connection of a client that sends endless requests", async () => {
    let reached = 0;
    await using server = await listen(() => reached++);
    await using lab = await openProxyLab({ mayConnect });
    const one = `GET http://127.0.0.1:${server.port}/ HTTP/1.1\r\nHost: x\r\n\r\n`;
    const answer = await lab.ask(one.repeat(50_000)).catch(() => "");
    expect({ answer, isBounded: reached <= 32 }).toEqual({ answer: "", isBounded: true });
  });

  it("disconnects from the server when the program disconnects", async () => {
    const { promise: left, resolve } = Promise.withResolvers<void>();
    await using server = await listen((socket) => void socket.once("end", () => resolve()).resume());
    await using lab = await openProxyLab({ mayConnect });
    const client = connect(lab.port, "127.0.0.1");
    client.write(`CONNECT 127.0.0.1:${server.port} HTTP/1.1\r\n\r\n`);
    client.once("data", () => client.resetAndDestroy());
    client.on("error", () => {});
    await left;
  });
});

async function readUntil(socket: AsyncIterable<Buffer>, end: RegExp): Promise<string> {
  let all = "";
  for await (const bytes of socket) {
    all += bytes.toString("latin1");
    if (end.test(all)) return all;
  }
  return all;
}
