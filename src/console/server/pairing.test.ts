import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { connect as connectTls } from "node:tls";
import { describe, expect, it } from "vitest";
import { type OpenConsole, openTestConsole } from "../../../test/support/console/open-console.ts";
import type { LoginAnswer } from "../api.ts";
import type { PairingEvent } from "./pairing.ts";

/** A console that also serves other devices, and a device that can send anything. */
async function openPaired() {
  const events: PairingEvent["type"][] = [];
  let skippedMs = 0;
  const console = await openTestConsole({
    pair: { host: "127.0.0.1", onEvent: ({ type }) => events.push(type) },
    now: () => Date.now() + skippedMs,
  });
  const { address, newCode, fingerprint } = console.pairing!;
  const { port, host } = new URL(address);
  const own = { host, origin: address, "sec-fetch-site": "same-origin" };
  const send = async (
    path: string,
    {
      method = "GET",
      headers = {},
      body,
    }: { method?: string; headers?: Record<string, string | undefined>; body?: string } = {},
  ) => {
    const all = Object.entries({ ...own, ...headers }).filter(([, value]) => value !== undefined);
    const client = request({
      ...{ host: "127.0.0.1", port, method, path, agent: false, setHost: false, rejectUnauthorized: false },
      headers: Object.fromEntries(all),
    });
    client.end(body);
    const [answer] = (await once(client, "response")) as [IncomingMessage];
    return { status: answer.statusCode, headers: answer.headers, body: await text(answer) };
  };
  /** Types a code, a while after the last one. */
  const pair = (code: string, headers: Record<string, string | undefined> = {}) => {
    skippedMs += 2_000;
    const body = new URLSearchParams({ code }).toString();
    const type = { "content-type": "application/x-www-form-urlencoded" };
    return send("/pair", { method: "POST", headers: { ...type, ...headers }, body });
  };
  return {
    console,
    events,
    address,
    newCode,
    fingerprint,
    port: Number(port),
    send,
    pair,
    skip: (ms: number) => {
      skippedMs += ms;
    },
    [Symbol.asyncDispose]: () => console[Symbol.asyncDispose](),
  };
}

type Paired = Awaited<ReturnType<typeof openPaired>>;

/** Pairs and signs in, as a browser does. */
async function signIn({ pair, send, newCode }: Paired) {
  const { headers } = await pair(newCode());
  const cookie = headers["set-cookie"]![0]!.split(";")[0]!;
  const code = headers.location!.replace("/#code=", "");
  const login = await send("/api/login", {
    method: "POST",
    headers: { cookie, "content-type": "application/json" },
    body: JSON.stringify({ code }),
  });
  const { api } = JSON.parse(login.body) as LoginAnswer;
  return { cookie, api, own: login.headers["set-cookie"]![0]! };
}

describe("a device with the code", () => {
  it("gets the page, a cookie of its own, and the API", async () => {
    await using device = await openPaired();
    const code = device.newCode();
    const form = await device.send("/", { headers: { "sec-fetch-site": "none", origin: undefined } });
    expect(form.status).toBe(200);
    expect(form.body).toContain('<form method="post" action="/pair">');
    const answer = await device.pair(` ${code.toLowerCase().replace("-", " ")} `);
    expect([answer.status, answer.headers.location]).toEqual([
      303,
      expect.stringMatching(/^\/#code=[\w-]{43}$/),
    ]);
    expect(answer.headers["set-cookie"]).toEqual([
      expect.stringMatching(/^__Host-toolcrib_\w+=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Strict$/),
    ]);
    const { cookie, api, own } = await signIn(device);
    expect(own).toMatch(/; Path=\/api\/[\w-]{43}; HttpOnly; SameSite=Strict; Secure$/);
    const page = await device.send("/", { headers: { cookie } });
    expect(page.body).toContain("The page of the console is not built");
    const both = `${cookie}; ${own.split(";")[0]}`;
    expect((await device.send(`${api}/overview`, { headers: { cookie: both } })).status).toBe(200);
    expect((await device.send(`${api}/overview`, { headers: { cookie } })).status).toBe(401);
    expect(device.events).toEqual(["paired", "paired"]);
  });

  it("sees the certificate whose fingerprint was printed, over TLS 1.3 only", async () => {
    await using device = await openPaired();
    const socket = connectTls({ host: "127.0.0.1", port: device.port, rejectUnauthorized: false });
    await once(socket, "secureConnect");
    expect([socket.getPeerCertificate().fingerprint256, socket.getProtocol()]).toEqual([
      device.fingerprint,
      "TLSv1.3",
    ]);
    expect(socket.getPeerCertificate().subjectaltname).toBe("IP Address:127.0.0.1");
    socket.destroy();
    const old = connectTls({
      ...{ host: "127.0.0.1", port: device.port, rejectUnauthorized: false, maxVersion: "TLSv1.2" },
    });
    const [error] = (await once(old, "error")) as [NodeJS.ErrnoException];
    expect(error.code).toBe("ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION");
  });
});

describe("a device without the code", () => {
  it("gets nothing but the form", async () => {
    await using device = await openPaired();
    device.newCode();
    const code = device.console.newCode();
    const attempts = [
      await device.send("/index.html"),
      await device.send("/page.js"),
      await device.send("/api/overview"),
      await device.send("/pair"),
      await device.send("/api/login", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ code }),
      }),
    ];
    expect(attempts.map(({ status, body }) => [status, JSON.parse(body).error.code])).toEqual(
      attempts.map(() => [401, "not-paired"]),
    );
  });

  it("has five tries, and then the right code no longer counts", async () => {
    await using device = await openPaired();
    const code = device.newCode();
    const statuses = [];
    for (const wrong of ["AAAA-AAAA", "", "x".repeat(50), "AAAA-AAAB", "AAAA-AAAC"])
      statuses.push((await device.pair(wrong)).status);
    expect([statuses, device.events]).toEqual([[401, 401, 401, 401, 403], ["closed"]]);
    expect((await device.pair(code)).status).toBe(403);
    expect((await device.send("/")).body).not.toContain("<form");
    expect((await device.pair(device.newCode())).status).toBe(303);
  });

  it("has to wait between two tries, also when it sends them at once", async () => {
    await using device = await openPaired();
    const code = device.newCode();
    await device.pair("AAAA-AAAA");
    device.skip(-2_000);
    expect((await device.pair(code)).status).toBe(429);
    device.skip(-1_000);
    expect((await device.pair(code)).status).toBe(303);
  });

  it("cannot use a code again, or after five minutes, or one that was replaced", async () => {
    await using device = await openPaired();
    const used = device.newCode();
    expect((await device.pair(used)).status).toBe(303);
    expect((await device.pair(used)).status).toBe(403);
    const expired = device.newCode();
    device.skip(5 * 60_000);
    expect((await device.pair(expired)).status).toBe(403);
    const replaced = device.newCode();
    device.newCode();
    expect((await device.pair(replaced)).status).toBe(401);
  });

  it("gets no answer without TLS", async () => {
    await using device = await openPaired();
    const socket = connect(device.port, "127.0.0.1").on("error", () => {});
    socket.write(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${device.port}\r\nSec-Fetch-Site: none\r\n\r\n`);
    expect(await text(socket).catch(() => "")).not.toContain("HTTP");
    expect((await device.send("/")).status).toBe(200);
  });

  it.each([
    ["another host", { host: "attacker.example" }, "wrong-host"],
    ["the host of the loopback", { host: "127.0.0.1" }, "wrong-host"],
    ["another origin", { origin: "https://attacker.example" }, "foreign"],
    ["the same host without TLS", { origin: "http://127.0.0.1" }, "foreign"],
    ["no origin", { origin: undefined }, "foreign"],
    ["an opaque origin", { origin: "null" }, "foreign"],
    ["a form of another site", { "sec-fetch-site": "cross-site" }, "foreign"],
    ["a form of another port", { "sec-fetch-site": "same-site" }, "foreign"],
    ["no browser", { "sec-fetch-site": undefined }, "foreign"],
  ])("cannot try the code with %s, and that is not a try", async (_, headers, refusal) => {
    await using device = await openPaired();
    const code = device.newCode();
    const answer = await device.pair(code, headers);
    expect([answer.status, JSON.parse(answer.body).error.code]).toEqual([403, refusal]);
    expect((await device.pair(code)).status).toBe(303);
  });

  it("cannot send anything but a short form", async () => {
    await using device = await openPaired();
    const code = device.newCode();
    const post = (type: string, body: string) =>
      device.send("/pair", { method: "POST", headers: { "content-type": type }, body });
    const form = "application/x-www-form-urlencoded";
    const attempts = [
      await post("application/json", JSON.stringify({ code })),
      await post("text/plain", `code=${code}`),
      await post(form, "other=<b>"),
      await post(form, `code=${code}&padding=${"x".repeat(500)}`),
    ];
    expect(attempts.map(({ status }) => status)).toEqual([400, 400, 400, 400]);
    for (const { body, headers } of attempts) {
      expect(body).not.toMatch(/<b>|xxx/);
      expect(headers["content-security-policy"]).toContain("default-src 'none'; form-action 'self'");
    }
    expect((await device.pair(code)).status).toBe(303);
  });
});

describe("cookies and codes", () => {
  it("of this machine do not count on the other listener, and the other way round", async () => {
    await using device = await openPaired();
    const { console } = device;
    const here = await console.login();
    const there = await signIn(device);
    const all = `${here.cookie}; ${there.own.split(";")[0]}; ${there.cookie}`;
    const statusOf = async (api: string, cookie: string) =>
      (await device.send(`${api}/overview`, { headers: { cookie } })).status;
    expect(await statusOf(here.api, all)).toBe(401);
    expect(await statusOf(here.api, here.cookie)).toBe(401);
    expect(await statusOf(there.api, here.cookie)).toBe(401);
    expect(await statusOf(there.api, there.own.split(";")[0]!)).toBe(401);
    const onThisMachine = (api: string, cookie: string) =>
      console.send({ path: `${api}/overview`, headers: { ...here.headers, cookie } });
    expect((await onThisMachine(there.api, all)).status).toBe(401);
    expect((await onThisMachine(here.api, there.own.split(";")[0]!)).status).toBe(401);
    expect((await onThisMachine(here.api, here.cookie)).status).toBe(200);
  });

  it("of this machine cannot sign in a paired device", async () => {
    await using device = await openPaired();
    const { cookie } = await signIn(device);
    const answer = await device.send("/api/login", {
      method: "POST",
      headers: { cookie, "content-type": "application/json" },
      body: JSON.stringify({ code: device.console.newCode() }),
    });
    expect([answer.status, JSON.parse(answer.body).error.code]).toEqual([401, "bad-code"]);
  });
});

it("without `pair`, no other listener exists", async () => {
  await using console: OpenConsole = await openTestConsole();
  expect(console.pairing).toBeUndefined();
});
