import { spawn, spawnSync } from "node:child_process";
import { createInterface } from "node:readline";
import { temporaryFolder } from "../temporary-folder.ts";
import { freePort } from "./free-port.ts";

/** Whether Redis and its driver are installed: both are optional. */
export function hasRedis(): boolean {
  try {
    import.meta.resolve("ioredis");
  } catch {
    return false;
  }
  return spawnSync("redis-server", ["--version"]).status === 0;
}

/** Starts a Redis server on this machine, in a temporary folder. */
export async function startRedis(): Promise<{ readonly address: string } & AsyncDisposable> {
  const folder = temporaryFolder();
  const port = await freePort();
  const args = ["--bind", "127.0.0.1", "--port", `${port}`, "--save", "", "--dir", folder.path];
  const server = spawn("redis-server", args, { stdio: ["ignore", "pipe", "inherit"] });
  const ready = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  createInterface({ input: server.stdout }).on("line", (line) => {
    if (/ready to accept connections/i.test(line)) ready.resolve();
  });
  server.once("error", ready.reject);
  server.once("exit", (code) => {
    ready.reject(new Error(`Redis ended with ${code}.`));
    ended.resolve();
  });
  await ready.promise;
  return {
    address: `redis://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.kill("SIGKILL");
      await ended.promise;
      await folder[Symbol.asyncDispose]();
    },
  };
}
