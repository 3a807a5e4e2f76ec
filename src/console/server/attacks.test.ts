import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type OpenConsole, openTestConsole } from "../../../test/support/console/open-console.ts";
import type { CallDetail, Overview } from "../api.ts";

type Page = Awaited<ReturnType<OpenConsole["login"]>>;
type Headers = Readonly<Record<string, string | readonly string[]>>;

let console: OpenConsole;
let other: OpenConsole;
let page: Page;
let foreign: Page;
let workspace: string;
let handle: string;

beforeAll(async () => {
  console = await openTestConsole();
  other = await openTestConsole();
  const crib = await console.open("one", { mode: "yolo", sandbox: "none" });
  await crib.call("file.write", { path: "secret plan.txt", content: "x" });
  const { callId } = await crib.call("shell.run", { command: "seq 60000" });
  page = await console.login();
  foreign = await other.login();
  workspace = (await page.get<Overview>("/overview")).workspaces[0]!.id;
  handle = (await page.get<CallDetail>(`/calls/${workspace}/${callId}`)).output!.handle;
  const second = await console.open("two");
  await second.call("file.write", { path: "b", content: "" });
});

afterAll(async () => {
  await console[Symbol.asyncDispose]();
  await other[Symbol.asyncDispose]();
});

/** Sends a request that would succeed but for these headers; undefined leaves one out. */
async function overviewWith(headers: Readonly<Record<string, string | readonly string[] | undefined>>) {
  const all = Object.entries({ ...page.headers, ...headers }).filter(([, value]) => value !== undefined);
  return checked(
    await console.send({ path: `${page.api}/overview`, headers: Object.fromEntries(all) as Headers }),
  );
}

/** Checks what holds for every answer, also for refusals. */
function checked(answer: Awaited<ReturnType<OpenConsole["send"]>>) {
  const { headers, status, body } = answer;
  expect(Object.keys(headers).filter((name) => name.startsWith("access-control-"))).toEqual([]);
  expect(headers["content-security-policy"]).toContain("default-src 'none'; script-src 'self'");
  expect(headers["content-security-policy"]).toContain("frame-ancestors 'none'");
  expect(headers).toMatchObject({
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
  });
  if (status >= 400) {
    expect(headers["content-type"]).toBe("application/json");
    expect(body).not.toMatch(/[<>]|secret plan/);
  }
  return answer;
}

/** Sends bytes over a connection of its own, and returns everything that comes back. */
async function sendBytes(bytes: string | Buffer, port = console.port): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  socket.write(bytes);
  let answer = "";
  socket.setEncoding("utf8").on("data", (piece: string) => {
    answer += piece;
  });
  // A server that reads no further resets the connection after its answer.
  socket.on("error", () => {});
  await once(socket, "close");
  return answer;
}

it("answers the page itself", async () => {
  expect((await overviewWith({})).status).toBe(200);
});

describe("a page of another origin", () => {
  it.each<[string, Record<string, string | undefined>]>([
    ["with its origin", { origin: "https://evil.example" }],
    ["with an opaque origin, as an iframe in a sandbox", { origin: "null" }],
    ["on another port of this machine", { origin: "http://127.0.0.1:1" }],
    ["that calls this machine by another name", { origin: "http://localhost" }],
    ["with a look-alike origin", { origin: "http://127.0.0.1.evil.example" }],
    ["that sends no origin, as an image or no-cors request", { "sec-fetch-site": "cross-site" }],
    ["of the same site", { "sec-fetch-site": "same-site" }],
    ["that the user typed an address into", { "sec-fetch-site": "none" }],
    ["in a browser that does not say where requests come from", { "sec-fetch-site": undefined }],
  ])("gets nothing: %s", async (_name, headers) => {
    const { status, json } = await overviewWith(headers);
    expect([status, json]).toEqual([403, { error: expect.objectContaining({ code: "foreign" }) }]);
  });

  it("cannot load scripts or styles of the page, or show it in a frame", async () => {
    const load = (headers: Record<string, string>) =>
      console.send({ path: "/", headers: { host: `127.0.0.1:${console.port}`, ...headers } });
    const frame = {
      "sec-fetch-site": "cross-site",
      "sec-fetch-mode": "navigate",
      "sec-fetch-dest": "iframe",
    };
    const script = {
      "sec-fetch-site": "cross-site",
      "sec-fetch-mode": "no-cors",
      "sec-fetch-dest": "script",
    };
    const tab = {
      "sec-fetch-site": "cross-site",
      "sec-fetch-mode": "navigate",
      "sec-fetch-dest": "document",
    };
    const answers = [await load(frame), await load(script), await load(tab)];
    expect(answers.map(checked).map(({ status }) => status)).toEqual([403, 403, 200]);
  });

  it("gets no permission by a preflight", async () => {
    const answer = await console.send({
      method: "OPTIONS",
      path: `${page.api}/undo`,
      headers: {
        ...page.headers,
        origin: "https://evil.example",
        "access-control-request-method": "POST",
        "access-control-request-private-network": "true",
      },
    });
    expect(checked(answer).status).toBe(405);
  });
});

describe("a name that DNS leads to this machine", () => {
  it.each([
    ["another name", (port: number) => `evil.example:${port}`],
    ["localhost", (port: number) => `localhost:${port}`],
    ["a name that begins with the address", (port: number) => `127.0.0.1.evil.example:${port}`],
    ["a user before the address", (port: number) => `x@127.0.0.1:${port}`],
    ["no port", () => "127.0.0.1"],
    ["another port", () => "127.0.0.1:1"],
    ["another spelling of the address", (port: number) => `127.1:${port}`],
    ["IPv6", (port: number) => `[::1]:${port}`],
    ["a path", (port: number) => `127.0.0.1:${port}/x`],
    ["a trailing dot", (port: number) => `127.0.0.1.:${port}`],
  ])("is refused: %s", async (_name, hostFor) => {
    const { status } = await overviewWith({ host: hostFor(console.port), origin: undefined });
    expect(status).toBe(403);
  });

  it("is refused also for files, and with forwarding headers", async () => {
    const host = `evil.example:${console.port}`;
    const real = `127.0.0.1:${console.port}`;
    const headers = { host, "sec-fetch-site": "none", "x-forwarded-host": real, forwarded: `host=${real}` };
    expect(checked(await console.send({ path: "/", headers })).status).toBe(403);
  });

  it("is refused without a Host, with two, and in an absolute address", async () => {
    const right = `Host: 127.0.0.1:${console.port}\r\n`;
    const rest = `Cookie: ${page.cookie}\r\nSec-Fetch-Site: same-origin\r\nConnection: close\r\n\r\n`;
    const path = `${page.api}/overview`;
    const statuses = await Promise.all([
      sendBytes(`GET ${path} HTTP/1.1\r\n${rest}`),
      sendBytes(`GET ${path} HTTP/1.0\r\n${rest}`),
      sendBytes(`GET ${path} HTTP/1.1\r\n${right}Host: evil.example\r\n${rest}`),
      sendBytes(`GET http://evil.example${path} HTTP/1.1\r\n${right}${rest}`),
      sendBytes(`GET ${path} HTTP/1.1\r\n${right}${rest}`),
    ]);
    expect(statuses.map((answer) => answer.slice(9, 12))).toEqual(["400", "403", "403", "400", "200"]);
  });
});

describe("a stolen or guessed sign-in", () => {
  const login = (code: unknown, headers: Record<string, string> = {}) =>
    console.send({
      method: "POST",
      path: "/api/login",
      headers: {
        host: `127.0.0.1:${console.port}`,
        origin: console.origin,
        "sec-fetch-site": "same-origin",
        "content-type": "application/json",
        ...headers,
      },
      body: JSON.stringify({ code }),
    });

  it("fails with a code that was used, replaced, guessed or is of another console", async () => {
    const [first, second] = [console.newCode(), console.newCode()];
    const codes = [
      first,
      "",
      "x".repeat(43),
      other.newCode(),
      second.slice(0, -1),
      [second],
      null,
      second,
      second,
    ];
    const answers = [];
    for (const code of codes) answers.push(checked(await login(code)).status);
    expect(answers).toEqual([401, 400, 401, 401, 401, 400, 400, 200, 401]);
    const { json } = await login(second);
    expect(json).toMatchObject({
      error: { code: "bad-code", message: expect.stringContaining("already used") },
    });
  });

  it("fails with a code that has expired", async () => {
    let time = Date.now();
    await using own = await openTestConsole({ now: () => time });
    const code = own.newCode();
    time += 10 * 60 * 1000 + 1;
    const headers = {
      host: `127.0.0.1:${own.port}`,
      origin: own.origin,
      "sec-fetch-site": "same-origin",
      "content-type": "application/json",
    };
    const body = JSON.stringify({ code });
    expect((await own.send({ method: "POST", path: "/api/login", headers, body })).status).toBe(401);
  });

  it("fails from another page, and leaves the code for its owner", async () => {
    const code = console.newCode();
    const attempts = [
      await login(code, { origin: "https://evil.example" }),
      await login(code, { "sec-fetch-site": "cross-site" }),
      await login(code, { "content-type": "text/plain" }),
    ];
    expect(attempts.map(({ status }) => status)).toEqual([403, 403, 415]);
    expect((await login(code)).status).toBe(200);
  });

  it("fails without the cookie, or with that of another console", async () => {
    const [name, value] = page.cookie.split("=");
    const cookies = [
      undefined,
      foreign.cookie,
      `${name}=${foreign.cookie.split("=")[1]}`,
      `${name}=${value}x`,
      `${name}=`,
      `${page.cookie}; ${page.cookie}`,
      `${name}=planted; ${page.cookie}`,
      `x${page.cookie}`,
    ];
    for (const cookie of cookies) {
      const { status, json } = await overviewWith({ cookie });
      expect([cookie, status, json]).toEqual([
        cookie,
        401,
        { error: expect.objectContaining({ code: "signed-out" }) },
      ]);
    }
  });

  it("fails without the key of the path, so that a server on another port gains nothing from the cookie", async () => {
    const paths = [
      "/api/overview",
      `${foreign.api}/overview`,
      `/api//overview`,
      `${page.api.slice(0, -1)}/overview`,
    ];
    for (const path of paths) {
      const { status } = checked(await console.send({ path, headers: page.headers }));
      expect([path, status]).toEqual([path, 401]);
    }
    const set = await login(console.newCode());
    expect(set.headers["set-cookie"]).toEqual([
      expect.stringMatching(/^toolcrib_\w{12}=[\w-]{43}; Path=\/api\/[\w-]{43}; HttpOnly; SameSite=Strict$/),
    ]);
  });

  it("gets no events without the cookie", async () => {
    const { cookie: _, ...headers } = page.headers as Record<string, string>;
    expect(checked(await console.send({ path: `${page.api}/events`, headers })).status).toBe(401);
  });
});

describe("requests that a form or another method makes", () => {
  it.each([
    ["a form", "application/x-www-form-urlencoded"],
    ["a form with files", "multipart/form-data; boundary=x"],
    ["plain text", "text/plain"],
    ["plain text that mentions JSON", "text/plain; application/json"],
    ["two types", "application/json, text/plain"],
    ["a longer type", "application/jsonx"],
    ["another charset", "application/json; charset=utf-16"],
    ["no type", undefined],
  ])("are refused: %s", async (_name, type) => {
    const { "content-type": _, ...rest } = { "content-type": "", ...page.headers };
    const headers = { ...rest, ...(type !== undefined && { "content-type": type }) };
    const body = JSON.stringify({ workspace, redo: true, dryRun: true });
    const answer = await console.send({ method: "POST", path: `${page.api}/undo`, headers, body });
    expect(checked(answer).status).toBe(415);
  });

  it("are refused without an origin", async () => {
    const { origin: _, ...headers } = page.headers as Record<string, string>;
    const answer = await console.send({
      method: "POST",
      path: `${page.api}/undo`,
      headers: { ...headers, "content-type": "application/json" },
      body: "{}",
    });
    expect(checked(answer).status).toBe(403);
  });

  it.each(["HEAD", "PUT", "DELETE", "PATCH", "TRACE", "PROPFIND"])("are refused: %s", async (method) => {
    const headers = { ...page.headers, "x-http-method-override": "GET" };
    const { status } = await console.send({ method, path: `${page.api}/overview`, headers });
    expect(status).toBe(405);
  });

  it("are refused: GET with a body, and a tunnel", async () => {
    const path = `${page.api}/overview`;
    const answer = await console.send({
      path,
      headers: { ...page.headers, "content-length": "2" },
      body: "{}",
    });
    expect(checked(answer).status).toBe(400);
    expect(
      await sendBytes(`CONNECT evil.example:443 HTTP/1.1\r\nHost: 127.0.0.1:${console.port}\r\n\r\n`),
    ).toBe("");
  });

  it("cannot read by POST or write by GET", async () => {
    expect((await page.post("/overview", {})).status).toBe(404);
    const { status } = await console.send({ path: `${page.api}/undo?redo=true`, headers: page.headers });
    expect(status).toBe(404);
  });
});

describe("hostile bodies", () => {
  const post = (body: string | Buffer, headers: Record<string, string> = {}) =>
    console.send({
      method: "POST",
      path: `${page.api}/undo`,
      headers: { ...page.headers, "content-type": "application/json", ...headers },
      body,
    });

  it.each([
    ["no JSON", "workspace=x"],
    ["nothing", ""],
    ["null", "null"],
    ["a list", "[]"],
    ["half of an object", '{"workspace":'],
    ["an unknown field", '{"workspace":"x","redo":true,"dryRun":true,"mode":"yolo"}'],
    ["a field of the prototype", '{"__proto__":{"dryRun":true},"workspace":"x","redo":true}'],
    [
      "a constructor",
      '{"constructor":{"prototype":{"dryRun":true}},"workspace":"x","redo":true,"dryRun":true}',
    ],
    ["a wrong type", '{"workspace":{"toString":"x"},"redo":true,"dryRun":true}'],
    ["two selections", '{"workspace":"x","redo":true,"session":"session_1","dryRun":true}'],
    ["call ids with a path", '{"workspace":"x","calls":["../x"],"dryRun":true}'],
    ["deep nesting", "[".repeat(200_000)],
  ])("are refused: %s", async (_name, body) => {
    const answer = checked(await post(body));
    expect(answer.status).toBe(400);
    expect(({} as { dryRun?: unknown }).dryRun).toBeUndefined();
  });

  it("are refused when they are too large, with and without a length", async () => {
    const large = Buffer.alloc(2 * 1024 * 1024, " ");
    const known = await post(large, { "content-length": String(large.length) }).catch(() => undefined);
    const chunked = await post(large, { "transfer-encoding": "chunked" }).catch(() => undefined);
    // The server may end the connection before everything is sent.
    for (const answer of [known, chunked]) expect(answer?.status ?? 413).toBe(413);
    expect((await overviewWith({})).status).toBe(200);
  });

  it("are cut off when they are slow, and so are slow headers", { tags: "slow" }, async () => {
    await using own = await openTestConsole({ requestMs: 4_000 });
    const signed = await own.login();
    const head = [
      `POST ${signed.api}/undo HTTP/1.1`,
      ...Object.entries(signed.headers).map(([name, value]) => `${name}: ${value}`),
      "content-type: application/json",
      "content-length: 100",
    ].join("\r\n");
    const answers = await Promise.all([sendBytes(`${head}\r\n\r\n{`, own.port), sendBytes(head, own.port)]);
    for (const answer of answers) expect(answer.slice(9, 12)).toBe("408");
  });

  it("cannot smuggle a second request", async () => {
    const head = `POST ${page.api}/undo HTTP/1.1\r\nHost: 127.0.0.1:${console.port}\r\n`;
    const both = `${head}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n`;
    expect((await sendBytes(both)).slice(9, 12)).toBe("400");
  });
});

describe("path tricks", () => {
  it.each([
    "/../package.json",
    "/assets/../../package.json",
    "/%2e%2e/package.json",
    "/..%2fpackage.json",
    "/%2e%2e%2f%2e%2e%2fetc/passwd",
    "/index.html%00.js",
    "/assets/%00",
    "/.git/config",
    "/constructor",
    "/__proto__",
    "//evil.example/",
    "/\\evil.example/",
    "/<script>alert(1)</script>",
  ])("find no file: %s", async (path) => {
    const headers = { host: `127.0.0.1:${console.port}`, "sec-fetch-site": "none" };
    expect([400, 404]).toContain(checked(await console.send({ path, headers })).status);
  });

  it.each([
    ["..", "a"],
    ["%2e%2e", "a"],
    ["..%2Fx", "a"],
    [".", "a"],
    ["%00", "a"],
    ["constructor", "a"],
    ["WORKSPACE", "..%2f..%2fjournal.sqlite"],
    ["WORKSPACE", "call_0"],
    ["WORKSPACE", "%27%20OR%201=1--"],
    ["WORKSPACE", "__proto__"],
  ])("find no call, output or session: %s/%s", async (id, name) => {
    for (const kind of ["calls", "outputs", "sessions"]) {
      const path = `${page.api}/${kind}/${id.replace("WORKSPACE", workspace)}/${name}`;
      expect([400, 404]).toContain(checked(await console.send({ path, headers: page.headers })).status);
    }
  });

  it("do not lead to an output of another workspace", async () => {
    const get = (id: string) =>
      console.send({ path: `${page.api}/outputs/${id}/${handle}`, headers: page.headers });
    const { workspaces } = await page.get<Overview>("/overview");
    const second = workspaces.find(({ id }) => id !== workspace)!.id;
    expect([(await get(workspace)).status, checked(await get(second)).status]).toEqual([200, 404]);
  });

  it("put nothing into headers", async () => {
    const path = `${page.api}/sessions/${workspace}/x%0d%0aSet-Cookie:%20a=b%22/export?before=%0d%0aX-Evil:1`;
    const { headers } = checked(await console.send({ path, headers: page.headers }));
    expect([headers["set-cookie"], headers["x-evil"]]).toEqual([undefined, undefined]);
  });

  it("are data, not commands, in filters", async () => {
    for (const query of [
      "text=%25%27%22)%3B--",
      "path=..%2f..",
      "before=x.1~",
      "before=__proto__.1",
      "limit=-1",
    ]) {
      const { status } = await console.send({ path: `${page.api}/calls?${query}`, headers: page.headers });
      expect([query, [200, 400].includes(status)]).toEqual([query, true]);
    }
  });
});

it("serves text of a workspace only as JSON or as a download", async () => {
  const crib = await console.open("<img src=x onerror=alert(1)>", { mode: "yolo" });
  writeFileSync(join(crib.workspace, "<svg onload=alert(1)>.txt"), "");
  await crib.call("file.delete", { path: "<svg onload=alert(1)>.txt" });
  for (const path of ["/overview", "/calls"]) {
    const answer = await console.send({ path: page.api + path, headers: page.headers });
    expect(answer.headers["content-type"]).toBe("application/json");
    expect(answer.body).toContain("onerror");
  }
});

it.each([
  ["nothing", ""],
  ["half a header", "GET / HTTP/1.1\r\nHost: 127"],
])("does not wait for 200 connections that have sent %s", async (_, sent) => {
  // They would not end before the test does: a server that counted them would never answer.
  await using own = await openTestConsole({ requestMs: 3_600_000 });
  const signed = await own.login();
  const idle = Array.from({ length: 200 }, () => connect(own.port, "127.0.0.1").on("error", () => {}));
  try {
    await Promise.all(idle.map((socket) => once(socket, "connect")));
    for (const socket of idle) socket.write(sent);
    expect(await signed.get("/overview")).toBeDefined();
    expect(idle.filter(({ closed }) => !closed).length).toBeGreaterThan(50);
  } finally {
    for (const socket of idle) socket.destroy();
  }
});

it("limits the number of event streams", async () => {
  await using own = await openTestConsole();
  const signed = await own.login();
  const streams = await Promise.allSettled(Array.from({ length: 40 }, () => signed.events()));
  const open = streams.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  expect(open.length).toBe(32);
  for (const stream of open) await stream[Symbol.asyncDispose]();
  await vi.waitFor(
    async () => {
      await using stream = await signed.events();
      await stream.until(() => true);
    },
    { timeout: 60_000 },
  );
});
