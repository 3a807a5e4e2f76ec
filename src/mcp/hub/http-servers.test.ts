import { writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { openToolcrib, type Toolcrib } from "../../toolcrib/index.ts";
import { serveHttp } from "../server/http/serve-http.ts";
import { connectHub } from "./connect-hub.ts";
import type { ServerConfiguration } from "./settings/read-settings.ts";

const secret = "the-token-of-the-user";

it.each(["2025", "2026", "auto"] as const)("uses an HTTP server with protocol era %s", async (protocol) => {
  await using folder = temporaryFolder();
  const directories = directoriesIn(folder.path);
  writeFileSync(join(folder.path, "a.txt"), "one\ntwo\n");
  const served = await serveHttp({
    token: secret,
    port: 0,
    instructions: "",
    open: () => openToolcrib({ workspace: folder.path, ...directories, mode: "yolo" }),
  });
  await using fixture = await openFixture(folder.path, {
    other: {
      url: served.url,
      headers: { Authorization: `Bearer ${secret}` },
      protocol,
      tools: ["file_read"],
    },
  });
  try {
    expect(fixture.hub.warnings).toEqual([]);
    expect(fixture.hub.tools.map(({ canonical }) => canonical)).toEqual(["other__file_read"]);
    expect(await fixture.call("other__file_read", { path: "a.txt" })).toEqual({
      content: "1 | one\n2 | two",
      isError: false,
    });
  } finally {
    await fixture.crib.close();
    await served.close();
  }
});

it("fails a server that redirects, never ends or denies access, and shows no secret", async () => {
  const followed: string[] = [];
  await using elsewhere = await listen((request, response) => {
    followed.push(request.url ?? "");
    response.end("{}");
  });
  await using sends = await listen((_, response) => {
    response.writeHead(307, { location: `${elsewhere.url}/stolen` }).end();
  });
  await using talks = await listen((_, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    const talk = () => {
      while (!response.destroyed && response.write("x".repeat(1024 * 1024)));
    };
    response.on("drain", talk);
    talk();
  });
  await using refuses = await listen((request, response) => {
    response.writeHead(403, { "content-type": "text/plain" }).end(`no: ${request.headers.authorization}`);
  });
  await using folder = temporaryFolder();
  const server = ({ url }: { url: string }): ServerConfiguration => ({
    url,
    headers: { Authorization: `Bearer ${secret}` },
    protocol: "2025",
  });
  await using fixture = await openFixture(folder.path, {
    sends: server(sends),
    talks: server(talks),
    refuses: server(refuses),
    absent: { url: "http://127.0.0.1:9/mcp" },
  });
  const states = fixture.hub.states().map(({ name, tools, problems }) => ({ name, tools, problems }));
  const problemsLike = (start: string) => [expect.stringContaining(start)];
  expect(states).toEqual([
    { name: "sends", tools: 0, problems: problemsLike(`${sends.url} cannot be used: `) },
    { name: "talks", tools: 0, problems: problemsLike(`${talks.url} cannot be used: `) },
    { name: "refuses", tools: 0, problems: problemsLike(`${refuses.url} cannot be used: `) },
    { name: "absent", tools: 0, problems: problemsLike("http://127.0.0.1:9 cannot be used: ") },
  ]);
  expect(states[3]?.problems[0]).toMatch(/ECONNREFUSED|bad port/);
  expect(followed).toEqual([]);
  expect(JSON.stringify(fixture.hub.states())).not.toContain(secret);
});

async function openFixture(workspace: string, servers: Readonly<Record<string, ServerConfiguration>>) {
  const directories = directoriesIn(workspace);
  const hub = connectHub({ workspace, servers, stateDirectory: directories.stateDirectory });
  const crib: Toolcrib = await openToolcrib({ workspace, sources: [hub], mode: "yolo", ...directories });
  await hub.ready;
  return {
    hub,
    crib,
    call: async (name: string, input: unknown) => {
      const { content, isError } = await crib.call(name, input);
      return { content, isError };
    },
    [Symbol.asyncDispose]: () => crib.close(),
  };
}

function directoriesIn(folder: string) {
  return { stateDirectory: join(folder, "state"), configDirectory: join(folder, "config") };
}

async function listen(answer: RequestListener) {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
