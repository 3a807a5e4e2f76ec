/** @module-tag slow */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openToolcrib, type ToolcribOptions } from "../src/toolcrib/index.ts";
import { freePort } from "./support/fleet/free-port.ts";
import { listen } from "./support/network/proxy-lab.ts";
import { missingHere } from "./support/sandbox-fixture.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";
import { type TemporaryToolcrib, temporaryToolcrib } from "./support/temporary-toolcrib.ts";

const missing = await missingHere("bwrap");

/** Answers every request with its name; /away leads to the address in the variable. */
const program = `
  const [port, name, away] = process.argv.slice(2);
  require("node:http").createServer((request, answer) => {
    if (request.url === "/away") return answer.writeHead(302, { location: away }).end();
    answer.setHeader("content-type", "text/plain").end("from " + name);
  }).listen(Number(port), () => console.log("listening"));
`;

async function open(options: Pick<ToolcribOptions, "mode" | "rules"> = {}): Promise<TemporaryToolcrib> {
  const opened = await temporaryToolcrib({ mode: "yolo", ...options });
  opened.write("server.cjs", program);
  return opened;
}

/** Returns the output of a tool, or its error. */
async function use({ crib }: TemporaryToolcrib, tool: string, input: object): Promise<string> {
  const { content, error } = await crib.call(tool, input);
  return error?.message ?? content;
}

const fetch = `fetch("http://localhost:8787/").then((answer) => answer.text()).then(console.log, console.log)`;

describe.skipIf(missing !== undefined)("the servers of a session", () => {
  it("answer in every command and to web.fetch, until they end", async () => {
    await using opened = await open();
    const command = "node server.cjs 8787 dev";
    const started = await use(opened, "process.start", { command, name: "web", ready: { port: 8787 } });
    expect(started).toContain("localhost:8787");
    expect(await use(opened, "shell.run", { command: "curl -sS localhost:8787" })).toContain("from dev");
    expect(await use(opened, "shell.run", { command: `node -e '${fetch}'` })).toContain("from dev");
    expect(await use(opened, "web.fetch", { url: "http://localhost:8787/" })).toContain("from dev");
    await use(opened, "process.stop", { name: "web" });
    expect(await use(opened, "shell.run", { command: "curl -sS localhost:8787" })).toContain(
      "No server of this session listens there",
    );
    expect(await use(opened, "web.fetch", { url: "http://localhost:8787/" })).toBe(
      "No rule lets this call connect to localhost:8787",
    );
    expect(
      await use(opened, "process.start", { command: command.replace("dev", "next"), ready: { port: 8787 } }),
    ).toContain("ready");
    expect(await use(opened, "web.fetch", { url: "http://localhost:8787/" })).toContain("from next");
  });

  it("answer when started with &, in a session or the same command", async () => {
    await using opened = await open();
    const wait = "until curl -sS localhost:8787 2>/dev/null; do sleep 0.1; done";
    const same = await use(opened, "shell.run", { command: `node server.cjs 8787 same & ${wait}` });
    expect(same).toContain("from same");
    await use(opened, "shell.run", { command: "node server.cjs 8787 background &", session: "one" });
    expect(await use(opened, "shell.run", { command: wait })).toContain("from background");
    expect(await use(opened, "web.fetch", { url: "http://127.0.0.1:8787/" })).toContain("from background");
  });

  it("are reached without a question in mode cautious", async () => {
    await using opened = await open({ mode: "cautious", rules: ["allow run node **"] });
    await use(opened, "process.start", { command: "node server.cjs 8787 dev", ready: { port: 8787 } });
    expect(await use(opened, "web.fetch", { url: "http://localhost:8787/" })).toContain("from dev");
  });

  it("are those of one instance: another one may use the same port", async () => {
    await using one = await open();
    await using other = await open();
    for (const [name, opened] of Object.entries({ one, other }))
      expect(
        await use(opened, "process.start", {
          command: `node server.cjs 8787 ${name}`,
          ready: { port: 8787 },
        }),
      ).toContain("ready");
    const url = "http://localhost:8787/";
    expect(await use(one, "web.fetch", { url })).toContain("from one");
    expect(await use(other, "shell.run", { command: "curl -sS localhost:8787" })).toContain("from other");
  });

  it("are never mistaken for that of another process", async () => {
    await using opened = await open();
    await use(opened, "process.start", { command: "node server.cjs 8787 first", ready: { port: 8787 } });
    const second = await opened.crib.call("process.start", {
      command: "sleep 2; exit 3",
      ready: { port: 8787 },
    });
    expect(second.content + (second.error?.message ?? "")).toContain("3");
    expect(second.content).not.toContain("is ready");
  });

  it("come before those of this machine, and never lead to them", async () => {
    const asked: string[] = [];
    await using here = await listen((socket) => {
      asked.push("asked");
      socket.end("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 7\r\n\r\noutside");
    });
    await using opened = await open({ rules: ["allow connect localhost"] });
    const [url, away] = [`http://localhost:${here.port}/`, `http://127.0.0.1:${here.port}/`];
    expect(await use(opened, "web.fetch", { url })).toContain("outside");
    expect(await use(opened, "shell.run", { command: `curl -sS ${url}` })).toContain("outside");
    const count = asked.length;
    const command = `node server.cjs 8787 inside ${away}`;
    await use(opened, "process.start", { command, ready: { port: 8787 } });
    expect(await use(opened, "web.fetch", { url: "http://localhost:8787/away" })).toContain(
      "which is not allowed",
    );
    expect(asked.length).toBe(count);
    await use(opened, "process.start", {
      command: `node server.cjs ${here.port} inside`,
      ready: { port: here.port },
    });
    expect(await use(opened, "web.fetch", { url })).toContain("from inside");
    expect(await use(opened, "shell.run", { command: `curl -sS ${url}` })).toContain("from inside");
  });

  it("are shown to this machine only with `expose`", async () => {
    const [shown, hidden] = [await freePort(), await freePort()];
    await using folder = temporaryFolder();
    const workspace = join(folder.path, "workspace");
    mkdirSync(workspace);
    await using crib = await openToolcrib({
      workspace,
      stateDirectory: join(folder.path, "state"),
      configDirectory: join(folder.path, "config"),
      mode: "yolo",
      expose: [shown],
    });
    writeFileSync(join(workspace, "server.cjs"), program);
    for (const port of [shown, hidden])
      await crib.call("process.start", { command: `node server.cjs ${port} inside`, ready: { port } });
    const ask = (port: number) =>
      globalThis.fetch(`http://127.0.0.1:${port}/`).then(
        (answer) => answer.text(),
        ({ cause }) => cause.code,
      );
    expect([await ask(shown), await ask(hidden)]).toEqual(["from inside", "ECONNREFUSED"]);
  });
});
