import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";

const app = join(import.meta.dirname, "next");
const env = { PATH: process.env.PATH, NEXT_TELEMETRY_DISABLED: "1", NODE_ENV: "production" } as const;

it("a standalone build of Next.js runs Toolcrib in a route", { timeout: 600_000 }, async () => {
  rmSync(join(app, ".next"), { recursive: true, force: true });
  const next = join(app, "node_modules/next/dist/bin/next");
  await promisify(execFile)(process.execPath, [next, "build"], { cwd: app, env });
  await using folder = temporaryFolder();
  const workspace = join(folder.path, "work");
  mkdirSync(workspace);
  writeFileSync(join(workspace, "poem.txt"), "one\ntwo\n");
  writeFileSync(join(workspace, "shapes.rs"), "struct Circle;\n");
  const server = spawn(process.execPath, [join(app, ".next/standalone/server.js")], {
    env: {
      ...env,
      ...{
        PORT: String(await freePort()),
        HOSTNAME: "127.0.0.1",
        WORKSPACE: workspace,
        TOOLCRIB_HOME: `${workspace}-home`,
      },
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(server, "exit");
  try {
    const url = await urlPrintedBy(server.stdout);
    const response = await fetch(`${url}/api/read`);
    expect(await response.json()).toEqual(["file.read ok", "search.grep ok", "code.symbols ok"]);
  } finally {
    server.kill();
    await exited;
  }
});

/** Keeps reading: a server whose output is closed ends. */
function urlPrintedBy(output: Readable): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let printed = "";
  output.on("data", (chunk) => {
    printed += chunk;
    const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(printed) ?? [];
    if (url !== undefined) resolve(url);
  });
  output.on("end", () => reject(new Error(`The server has ended: ${printed}`)));
  return promise;
}

/** The server takes 0 for its default port. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
