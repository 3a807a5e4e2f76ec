import { describe, expect, it, vi } from "vitest";
import { certificate } from "../../../test/support/network/certificate.ts";
import { temporaryToolcrib } from "../../../test/support/temporary-toolcrib.ts";
import { serveSecurely } from "../../../test/support/web/web-lab.ts";
import { serve, webFixture } from "../../../test/support/web-fixture.ts";
import type { WebPage } from "./fetch.ts";

const loopback = async () => [{ address: "127.0.0.1", family: 4 }];
const rules = ["allow connect *.example by web.fetch", "allow connect 127.0.0.1"];

describe("the target of web.fetch", () => {
  it("needs approval for its real host, with the whole URL", async () => {
    const asked: unknown[] = [];
    await using opened = await webFixture({
      approve: ({ preview, grants }) => {
        asked.push({ preview, grants });
        return { allow: false };
      },
    });
    await opened.crib.call("web.fetch", { url: "http://good.example.@evil.example/" });
    const { error } = await opened.crib.call("web.fetch", { url: "https://EVIL.example./?key=value" });
    expect([asked, error?.code]).toEqual([
      [
        {
          preview: "Would fetch https://evil.example./?key=value",
          grants: ["allow connect evil.example by web.fetch"],
        },
      ],
      "denied",
    ]);
  });

  it.each(["yolo", "cautious"] as const)(
    "is not a private address in mode %s, even if everything is allowed",
    async (mode) => {
      await using server = await serve((_request, response) => response.end("secret"));
      await using opened = await webFixture({
        mode,
        rules: ["allow connect *"],
        web: { resolve: loopback },
      });
      const hosts = [
        "127.0.0.1",
        "localhost",
        "127.1",
        "0x7f.1",
        "[::ffff:127.0.0.1]",
        "intern.example",
        "x.localhost",
      ];
      const codes = await Promise.all(
        hosts.map(async (name) => {
          const { error } = await opened.crib.call("web.fetch", { url: `http://${name}:${server.port}/` });
          return [name, error?.code, error?.hint];
        }),
      );
      const remedies = [
        "127.0.0.1",
        "localhost",
        "127.0.0.1",
        "127.0.0.1",
        "::ffff:7f00:1",
        "127.0.0.1",
        "localhost",
      ];
      expect([codes, server.asked]).toEqual([
        hosts.map((name, index) => [
          name,
          "denied",
          `Ask the user to add the rule: allow connect ${remedies[index]}`,
        ]),
        [],
      ]);
    },
  );

  it("is never cloud metadata, even when the user would allow it", async () => {
    await using opened = await webFixture({ approve: () => ({ allow: true }) });
    const { error } = await opened.crib.call("web.fetch", { url: "http://[::ffff:a9fe:a9fe]/latest/" });
    expect([error?.code, error?.forUser?.hint]).toEqual([
      "denied",
      "To allow it, add --rule 'allow connect 169.254.169.254'",
    ]);
  });

  it("is this machine when a rule or the user allows it", async () => {
    await using server = await serve((_request, response) =>
      response.setHeader("content-type", "text/plain").end("ok"),
    );
    const url = `http://localhost:${server.port}/`;
    await using ruled = await webFixture({ rules: ["allow connect localhost"], web: { resolve: loopback } });
    await using asked = await webFixture({ approve: () => ({ allow: true }), web: { resolve: loopback } });
    expect([
      (await ruled.crib.call("web.fetch", { url })).isError,
      (await asked.crib.call("web.fetch", { url })).isError,
    ]).toEqual([false, false]);
  });

  it("is where redirects lead, if the call may connect there", async () => {
    await using server = await serve((request, response) => {
      const next = { "/a": "/b?x=ü y#z", "/b?x=%C3%BC%20y": "http://other.example:PORT/c" }[request.url!];
      if (next === undefined) response.setHeader("content-type", "text/plain").end("there");
      else
        response
          .writeHead(302, {
            location: Buffer.from(next.replace("PORT", `${server.port}`)).toString("latin1"),
          })
          .end();
    });
    await using opened = await webFixture({ rules, web: { resolve: loopback } });
    const { data, content } = await opened.crib.call("web.fetch", {
      url: `http://one.example:${server.port}/a`,
    });
    const { url, redirects } = data as WebPage;
    expect([url, redirects, content, server.requests.map(({ headers }) => headers.host)]).toEqual([
      `http://other.example:${server.port}/c`,
      [`http://one.example:${server.port}/a`, `http://one.example:${server.port}/b?x=%C3%BC%20y`],
      `http://other.example:${server.port}/c (200): text/plain, 5 bytes\n\nthere\n\n[Note: redirected from http://one.example:${server.port}/a]`,
      [`one.example:${server.port}`, `one.example:${server.port}`, `other.example:${server.port}`],
    ]);
  });

  it.each([
    [
      "http://evil.test/x",
      "http://evil.test/x, which is not allowed (No rule lets this call connect to evil.test)",
    ],
    ["http://10.0.0.1/", "http://10.0.0.1/, which is not a public address"],
    ["//2852039166/latest/", "http://169.254.169.254/latest/, which is not a public address"],
    [
      "http://near.example/",
      "http://near.example/, which is not allowed (near.example is at 10.0.0.1 (private), not on the internet)",
    ],
    ["http://localhost:3000/", "http://localhost:3000/, which is not a public address"],
    ["http://127.1/", "http://127.0.0.1/, which is not a public address"],
  ])("is not %s by a redirect, which is reported instead", async (location, reported) => {
    expect(await redirectedTo(location)).toEqual([
      `URL (301) redirects to ${reported}. Fetch that URL in a separate call if you need it.`,
      false,
    ]);
  });

  it.each([
    ["javascript:alert(1)", "javascript:alert(1), which is neither http nor https"],
    [
      `http://one.example/${"a".repeat(8000)}`,
      `http://one.example/${"a".repeat(481)}…, which has more than 8000 characters`,
    ],
    ["ftp://one.example/", "ftp://one.example/, which is neither http nor https"],
    ["file:///etc/passwd", "file:///etc/passwd, which is neither http nor https"],
    [
      "http://user:word@one.example/",
      "http://user:word@one.example/, which contains a user name or password",
    ],
    ["http://[", "http://[, which is not a URL"],
  ])("is never %s by a redirect", async (location, reported) => {
    expect(await redirectedTo(location)).toEqual([
      `URL (301) redirects to ${reported}. It cannot be fetched.`,
      false,
    ]);
  });

  async function redirectedTo(location: string): Promise<readonly unknown[]> {
    await using server = await serve((_request, response) => response.writeHead(301, { location }).end());
    await using opened = await webFixture({
      rules,
      web: {
        resolve: async (host) => [{ address: host === "near.example" ? "10.0.0.1" : "127.0.0.1", family: 4 }],
      },
    });
    const url = `http://one.example:${server.port}/`;
    const { content, isError } = await opened.crib.call("web.fetch", { url });
    return [content.replace(url, "URL"), isError];
  }

  it("is cached only for calls that may connect to it", async () => {
    await using target = await serve((_request, response) =>
      response.writeHead(200, { "cache-control": "max-age=600", "content-type": "text/plain" }).end("kept"),
    );
    await using leading = await serve(
      (_request, response) => response.writeHead(302, { location: `${target.origin}/` }).end(),
      "127.0.0.2",
    );
    let answers = 0;
    await using opened = await webFixture({
      rules: ["allow connect 127.0.0.2 by web.fetch"],
      approve: () => ({ allow: answers++ === 0 }),
    });
    const fetch = (url: string) => opened.crib.call("web.fetch", { url });
    const [first, second] = [await fetch(target.origin), await fetch(target.origin)];
    const led = await fetch(leading.origin);
    expect([first.isError, second.error?.code, led.data, target.asked]).toEqual([
      false,
      "denied",
      {
        kind: "redirect",
        url: `${leading.origin}/`,
        status: 302,
        redirects: [],
        target: `${target.origin}/`,
      },
      ["GET /"],
    ]);
  });

  it("stops at circular and endless redirects", async () => {
    await using server = await serve((request, response) => {
      const [, way, step] = /^\/(\w+)\/(\d+)$/.exec(request.url!)!;
      const next = way === "circle" ? (Number(step) + 1) % 3 : Number(step) + 1;
      response.writeHead(307, { location: `/${way}/${next}` }).end();
    });
    await using opened = await webFixture({ rules });
    const fetch = async (path: string) => {
      const { error } = await opened.crib.call("web.fetch", { url: `${server.origin}${path}` });
      return [error?.code, error?.message.replaceAll(server.origin, "")];
    };
    expect([await fetch("/circle/0"), await fetch("/on/0"), server.asked.length]).toEqual([
      ["unavailable", "/circle/0 redirects in a circle: /circle/1 → /circle/2 → /circle/0"],
      ["unavailable", "/on/0 redirects more than 10 times: /on/1 → /on/2 → /on/3 → …"],
      14,
    ]);
  });

  it("reports a redirect from https to http", async () => {
    await using plain = await serve((_request, response) =>
      response.setHeader("content-type", "text/plain").end("ok"),
    );
    await using secure = await serveSecurely([
      `HTTP/1.1 301 Moved\r\nLocation: http://one.example:${plain.port}/\r\nContent-Length: 0\r\n\r\n`,
    ]);
    await using opened = await webFixture({ rules, web: { resolve: loopback, ca: certificate } });
    const { content } = await opened.crib.call("web.fetch", {
      url: `https://secure.example:${secure.port}/`,
    });
    expect(content).toContain(
      "[Note: redirected from https to http: the content could have been altered in transit]",
    );
  });

  it.each(["example.com", "ftp://example.com", "http://a@b.example/", "http://a\\b.example/"])(
    "is refused before approval if %j is invalid",
    async (url) => {
      await using opened = await webFixture();
      expect((await opened.crib.call("web.fetch", { url })).error?.code).toBe("invalid-input");
    },
  );
});

it("can be a server process of the same instance, inside its sandbox", { tags: "slow" }, async () => {
  await using opened = await temporaryToolcrib({
    mode: "yolo",
    rules: ["allow connect localhost by web.fetch"],
  });
  const { crib } = opened;
  // Not in Node, which is hidden in a sandbox when it is installed below the temporary directory.
  opened.write(
    "server.pl",
    String.raw`use IO::Socket::INET;
      $| = 1;
      my $server = IO::Socket::INET->new(Listen => 5, LocalAddr => "127.0.0.1") or die;
      print "port ", $server->sockport, "\n";
      while (my $client = $server->accept) {
        my ($path) = <$client> =~ / (\S+)/;
        my $host;
        while (<$client> =~ /^(\S+): (\S+)/) { $host = $2 if lc $1 eq "host" }
        my ($status, $body) = $path eq "/a" ? ("302 Found\r\nLocation: /b", "") : ("200 OK", "$path of $host");
        print $client "HTTP/1.1 $status\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n$body";
        close $client;
      }`,
  );
  await crib.call("process.start", { command: "perl server.pl", name: "web" });
  const port = await vi.waitFor(async () => {
    const { data } = await crib.call("process.output", { name: "web", cursor: 0 });
    return /port (\d+)/.exec((data as { text: string }).text)![1]!;
  });
  const { data } = await crib.call("web.fetch", { url: `http://localhost:${port}/a` });
  await crib.call("process.stop", { name: "web" });
  const after = await crib.call("web.fetch", { url: `http://localhost:${port}/c` });
  expect([(data as WebPage).parts, after.error?.code]).toEqual([
    [{ anchor: "", text: `/b of localhost:${port}` }],
    "unavailable",
  ]);
});
