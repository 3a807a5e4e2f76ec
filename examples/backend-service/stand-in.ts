/**
 * A stand-in for a service such as E2B, on this machine: a sandbox is a folder, and its commands run here without any
 * protection. For examples and tests only.
 */
import { spawn } from "node:child_process";
import { constants } from "node:fs";
import * as fs from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, join } from "node:path";
import { buffer } from "node:stream/consumers";
import type { BackendEntry } from "toolcrib";
import type { ServiceEvent } from "./service-backend.ts";

const token = "a-token";

/** Starts the service. The workspace of every sandbox is its `workspace`. */
export async function startService() {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://service");
    const [, , , method = ""] = pathname.split("/");
    requests.push(method);
    const parameters = JSON.parse(searchParams.get("parameters") ?? "{}");
    const answer =
      request.headers.authorization === `Bearer ${token}`
        ? (methods[method] ?? unknownMethod)(parameters, request, response)
        : Promise.reject(new Error("Wrong token"));
    answer.catch((error: NodeJS.ErrnoException) => {
      response.writeHead(400, { "content-type": "application/json" });
      response.end(JSON.stringify({ code: error.code, message: error.message }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    token,
    /** The methods of all requests so far. */
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Method = (
  // biome-ignore lint/suspicious/noExplicitAny: the only client is ServiceBackend
  parameters: any,
  request: IncomingMessage,
  response: ServerResponse,
) => Promise<unknown>;

const unknownMethod: Method = async () => {
  throw new Error("Unknown method");
};

const methods: Readonly<Record<string, Method>> = {
  stat: async ({ path }, _, response) => {
    const found = await entryAt(path).catch((error) => {
      if (error.code === "ENOENT" || error.code === "ENOTDIR") return null;
      throw error;
    });
    response.end(JSON.stringify(found));
  },
  list: async ({ path }, _, response) => {
    const names = await fs.readdir(path);
    response.end(JSON.stringify(await Promise.all(names.map((name) => entryAt(join(path, name))))));
  },
  read: async ({ path, range }, _, response) => {
    await using file = await fs.open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
    const { offset = 0, length = (await file.stat()).size } = range ?? {};
    const { bytesRead, buffer: bytes } = await file.read(Buffer.alloc(length), 0, length, offset);
    response.end(bytes.subarray(0, bytesRead));
  },
  write: async ({ path, mode }, request, response) => {
    const draft = `${path}.${process.hrtime.bigint()}`;
    await fs.writeFile(draft, await buffer(request));
    await fs.chmod(draft, mode);
    await fs.rename(draft, path);
    response.end();
  },
  makeDirectory: async ({ path, mode }, _, response) => {
    await fs.mkdir(path);
    await fs.chmod(path, mode);
    response.end();
  },
  remove: async ({ path }, _, response) => {
    const isDirectory = (await fs.lstat(path)).isDirectory();
    await (isDirectory ? fs.rmdir(path) : fs.unlink(path));
    response.end();
  },
  move: async ({ path, to }, _, response) => {
    await fs.rename(path, to);
    response.end();
  },
  setMode: async ({ path, mode }, _, response) => {
    await fs.chmod(path, mode);
    response.end();
  },
  makeLink: async ({ path, target }, _, response) => {
    await fs.symlink(target, path);
    response.end();
  },
  exec: async ({ command, cwd, env }, request, response) => {
    const input = await buffer(request);
    const { PATH } = process.env;
    const child = spawn("/bin/sh", ["-c", command], { cwd, env: { PATH, ...env }, detached: true });
    const send = (event: ServiceEvent) => response.write(`${JSON.stringify(event)}\n`);
    for (const stream of ["stdout", "stderr"] as const)
      child[stream].on("data", (bytes: Buffer) => send({ stream, base64: bytes.toString("base64") }));
    child.stdin.on("error", () => {});
    child.stdin.end(input);
    child.on("error", () => response.destroy());
    child.on("close", (code) => {
      send({ code });
      response.end();
    });
    // The group ends with its connection.
    response.on("close", () => {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGKILL");
    });
  },
};

async function entryAt(path: string): Promise<BackendEntry> {
  const stats = await fs.lstat(path);
  const kind = stats.isFile()
    ? "file"
    : stats.isDirectory()
      ? "directory"
      : stats.isSymbolicLink()
        ? "link"
        : "other";
  const target = kind === "link" ? await fs.readlink(path) : undefined;
  const { size: bytes, mtimeMs: modifiedMs, mode } = stats;
  return { name: basename(path), kind, bytes, modifiedMs, mode: mode & 0o7777, target };
}
