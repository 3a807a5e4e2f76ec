import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { listen } from "../../../test/support/network/proxy-lab.ts";
import { ask, serve } from "../../../test/support/web/web-lab.ts";

const head = "HTTP/1.1 200 OK\r\n";

function answered(body: string | Uint8Array, headers: Record<string, string> = {}, isCut = false) {
  return { status: 200, headers, body: Buffer.from(body as string), isCut };
}

describe("an exchange", () => {
  it("sends exactly the given request, and keeps no connection", async () => {
    await using server = await serve([`${head}Content-Length: 2\r\n\r\nok`], { stays: true });
    const answer = await ask(`http://127.0.0.1:${server.port}/a%20b?c=d#e`, {
      method: "POST",
      headers: { accept: "text/plain", "x-key": "k" },
      body: "häh",
    });
    expect([answer, server.requests]).toEqual([
      answered("ok", { "content-length": "2" }),
      [
        `POST /a%20b?c=d HTTP/1.1\r\naccept: text/plain\r\nx-key: k\r\nhost: 127.0.0.1:${server.port}\r\n` +
          "accept-encoding: gzip, deflate, br, zstd\r\nconnection: close\r\nContent-Length: 4\r\n\r\nhäh",
      ],
    ]);
  });

  it("joins headers with the same name, and returns redirects and errors unchanged", async () => {
    await using server = await serve([
      "HTTP/1.1 302 Found\r\nLocation: /b\r\nSet-Cookie: a=1\r\nset-cookie: b=2\r\nVia: x\r\nVIA: y\r\nContent-Length: 0\r\n\r\n",
    ]);
    expect(await ask(`http://127.0.0.1:${server.port}/`)).toEqual({
      status: 302,
      headers: { location: "/b", "set-cookie": "a=1, b=2", via: "x, y", "content-length": "0" },
      body: Buffer.alloc(0),
      isCut: false,
    });
  });

  it.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["deflate", deflateRawSync],
    ["br", brotliCompressSync],
    ["zstd", zstdCompressSync],
    ["X-GZIP", gzipSync],
    ["identity", (text: string) => Buffer.from(text)],
  ])("decompresses %s", async (coding, compress) => {
    const text = "many words, ".repeat(1000);
    await using server = await serve([`${head}Content-Encoding: ${coding}\r\n\r\n`, compress(text)]);
    expect(await ask(`http://127.0.0.1:${server.port}/`)).toEqual(
      answered(text, { "content-encoding": coding }),
    );
  });

  it("reads chunks with trailers, and HTTP/1.0 bodies until the connection closes", async () => {
    await using chunked = await serve([
      `${head}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n`,
      "2;x=y\r\nde\r\n0\r\nX-Trailer: t\r\n\r\n",
    ]);
    await using old = await serve(["HTTP/1.0 200 OK\r\n\r\nabc", "de"]);
    expect([
      await ask(`http://127.0.0.1:${chunked.port}/`),
      await ask(`http://127.0.0.1:${old.port}/`),
    ]).toEqual([answered("abcde", { "transfer-encoding": "chunked" }), answered("abcde")]);
  });

  it("accepts responses that have no body", async () => {
    await using empty = await serve(["HTTP/1.1 204 No Content\r\nContent-Encoding: gzip\r\n\r\n"]);
    await using unchanged = await serve(["HTTP/1.1 304 Not Modified\r\nContent-Encoding: br\r\n\r\n"]);
    await using nothing = await serve([`${head}Content-Encoding: gzip\r\nContent-Length: 0\r\n\r\n`]);
    const answers = await Promise.all(
      [empty, unchanged, nothing].map(({ port }) => ask(`http://127.0.0.1:${port}/`)),
    );
    expect(
      answers.map((answer) => ("status" in answer ? [answer.status, answer.body.length] : answer)),
    ).toEqual([
      [204, 0],
      [304, 0],
      [200, 0],
    ]);
  });

  it("skips informational responses", async () => {
    await using server = await serve([
      "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n",
      `${head}Content-Length: 2\r\n\r\nok`,
    ]);
    expect(await ask(`http://127.0.0.1:${server.port}/`)).toEqual(answered("ok", { "content-length": "2" }));
  });

  it("reports progress", async () => {
    await using server = await serve([`${head}Content-Length: 5\r\n\r\nabcde`]);
    const reports: unknown[] = [];
    await ask(`http://127.0.0.1:${server.port}/`, { progress: (...figures) => reports.push(figures) });
    expect(reports.at(-1)).toEqual([5, 5]);
  });
});

describe("an exchange with a hostile server", () => {
  it("stops at the limit of an endless body", async () => {
    await using server = await listen((socket) => {
      socket.write(`${head}\r\n`);
      const more = () => {
        while (socket.writable && socket.write("x".repeat(10_000)));
      };
      socket.on("drain", more);
      socket.once("data", more);
    });
    expect(await ask(`http://127.0.0.1:${server.port}/`, { maxBytes: 50_000 })).toEqual(
      answered("x".repeat(50_000), {}, true),
    );
  });

  it("reads a body of exactly the limit whole", async () => {
    await using server = await serve([`${head}\r\n${"x".repeat(50_000)}`]);
    expect(await ask(`http://127.0.0.1:${server.port}/`, { maxBytes: 50_000 })).toEqual(
      answered("x".repeat(50_000)),
    );
  });

  it.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
    ["zstd", zstdCompressSync],
  ])("stops a %s bomb at the limit for decompressed data", { tags: "slow" }, async (coding, compress) => {
    const bomb = compress(Buffer.alloc(30_000_000));
    await using server = await serve([`${head}Content-Encoding: ${coding}\r\n\r\n`, bomb]);
    expect(await ask(`http://127.0.0.1:${server.port}/`)).toEqual(
      answered(Buffer.alloc(1_000_000), { "content-encoding": coding }, true),
    );
  });

  it("reads at most the limit of compressed data that decompresses to nothing", async () => {
    // A gzip header, then endless empty blocks.
    const empty = Buffer.alloc(5_000_000, Buffer.from([0, 0, 0, 0xff, 0xff]));
    const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);
    await using server = await serve([`${head}Content-Encoding: gzip\r\n\r\n`, header, empty]);
    expect(await ask(`http://127.0.0.1:${server.port}/`)).toEqual(
      answered("", { "content-encoding": "gzip" }, true),
    );
  });

  const whole = gzipSync("many words ".repeat(100));
  it.each([
    [
      "damaged compression",
      [`${head}Content-Encoding: gzip\r\n\r\n`, "no gzip"],
      "unavailable: The response is damaged: it is not valid gzip",
    ],
    [
      "damaged brotli",
      [`${head}Content-Encoding: br\r\n\r\n`, "no brotli at all \xff\xff"],
      "unavailable: The response is damaged: it is not valid br",
    ],
    [
      "a truncated compressed body",
      [`${head}Content-Encoding: gzip\r\n\r\n`, whole.subarray(0, whole.length - 9)],
      "unavailable: The response is damaged: it is not valid gzip",
    ],
    [
      "nested compression",
      [`${head}Content-Encoding: gzip, gzip\r\n\r\n`, gzipSync(whole)],
      "unsupported: The response uses a compression that was not requested: gzip, gzip",
    ],
    [
      "an unknown compression",
      [`${head}Content-Encoding: shrink\r\n\r\n`, "x"],
      "unsupported: The response uses a compression that was not requested: shrink",
    ],
    [
      "a body shorter than declared",
      [`${head}Content-Length: 100\r\n\r\nabc`],
      "unavailable: HOST closed the connection before its response was complete (ECONNRESET)",
    ],
    [
      "a truncated chunk",
      [`${head}Transfer-Encoding: chunked\r\n\r\n64\r\nabc`],
      "unavailable: HOST closed the connection before its response was complete (ECONNRESET)",
    ],
    ["nothing", [], "unavailable: HOST closed the connection before its response was complete (ECONNRESET)"],
    [
      "a truncated header",
      [`${head}X-A: b`],
      "unavailable: HOST closed the connection before its response was complete (ECONNRESET)",
    ],
    [
      "two conflicting lengths",
      [`${head}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
      "unavailable: The response from HOST is not HTTP: Parse Error: Transfer-Encoding can't be present with Content-Length",
    ],
    [
      "a response that is not HTTP",
      ["SSH-2.0-OpenSSH_9.2\r\n"],
      "unavailable: The response from HOST is not HTTP: Parse Error: Expected HTTP/, RTSP/ or ICE/",
    ],
    [
      "another protocol",
      ["HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n"],
      "unavailable: The response from HOST is not HTTP: it asks for another protocol",
    ],
    [
      "endless headers",
      [head, ...Array.from({ length: 100 }, (_, index) => `X-${index}: ${"y".repeat(1000)}\r\n`)],
      "too-large: The response headers of HOST are too large",
    ],
  ])("reports %s clearly", async (_what, pieces, error) => {
    await using server = await serve(pieces);
    const host = `127.0.0.1:${server.port}`;
    expect(await ask(`http://${host}/`)).toEqual({
      error: error.replace("HOST", host),
      hint: expect.any(String),
    });
  });

  it("reports a reset connection", async () => {
    await using server = await listen((socket) => {
      socket.write(`${head}Content-Length: 100\r\n\r\nabc`);
      socket.once("data", () => setTimeout(() => socket.resetAndDestroy(), 20));
    });
    expect(await ask(`http://127.0.0.1:${server.port}/`)).toEqual({
      error: `unavailable: 127.0.0.1:${server.port} closed the connection before its response was complete (ECONNRESET)`,
      hint: "Try again later.",
    });
  });

  it("ignores data after the response", async () => {
    await using server = await serve([`${head}Content-Length: 2\r\n\r\nokHTTP/1.1 500 Evil\r\n\r\n`]);
    expect(await ask(`http://127.0.0.1:${server.port}/`)).toEqual(answered("ok", { "content-length": "2" }));
  });

  it("stops waiting for a silent server at the idle limit", async () => {
    await using mute = await serve([], { stays: true });
    await using falls = await serve([`${head}Content-Length: 9\r\n\r\nabc`], { stays: true });
    const limits = { idleMs: 100 };
    expect([
      await ask(`http://127.0.0.1:${mute.port}/`, {}, { limits }),
      await ask(`http://127.0.0.1:${falls.port}/`, {}, { limits }),
    ]).toEqual(
      [mute, falls].map(({ port }) => ({
        error: `timeout: 127.0.0.1:${port} sent nothing for 0.1 s`,
        hint: "Try again later.",
      })),
    );
  });

  it("stops waiting for a slow server at the total limit", async () => {
    await using server = await listen((socket) => {
      socket.write(head);
      const drip = setInterval(() => socket.write("X-A: b\r\n"), 20);
      socket.once("close", () => clearInterval(drip));
    });
    expect(await ask(`http://127.0.0.1:${server.port}/`, {}, { limits: { totalMs: 300 } })).toEqual({
      error: `timeout: 127.0.0.1:${server.port} did not send its whole response within 0.3 s`,
      hint: "Try again later, or fetch something smaller.",
    });
  });

  it("ends when it is cancelled in any phase", async () => {
    await using server = await serve([`${head}Content-Length: 9\r\n\r\nabc`], { stays: true });
    const cancelled = (request: Parameters<typeof ask>[1], options: Parameters<typeof ask>[2] = {}) => {
      const controller = new AbortController();
      setTimeout(() => controller.abort(), 50);
      return ask(`http://127.0.0.1:${server.port}/`, { ...request, signal: controller.signal }, options);
    };
    const before = AbortSignal.abort();
    expect([
      await ask(`http://127.0.0.1:${server.port}/`, { signal: before }),
      await cancelled({}),
      await cancelled({ url: new URL("http://slow.example/") }, { resolve: () => new Promise(() => {}) }),
    ]).toEqual(Array(3).fill({ error: "cancelled: The call was cancelled", hint: undefined }));
  });
});
