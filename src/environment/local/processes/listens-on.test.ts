import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { afterEach, expect, it } from "vitest";
import { listensOn } from "./inspect-process.ts";

const children: ChildProcess[] = [];

afterEach(async () => {
  for (const child of children.splice(0)) {
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  }
});

it.runIf(process.platform === "linux").each(["127.0.0.1", "::", "0.0.0.0"])(
  "detects which process owns a port at %s",
  { tags: "slow" },
  async (host) => {
    const server = spawn(process.execPath, [
      "-e",
      `const s = require("node:net").createServer().listen(0, "${host}", () => console.log(s.address().port))`,
    ]);
    const other = spawn("sleep", ["60"]);
    children.push(server, other);
    const [line] = await once(server.stdout, "data");
    const port = Number(line);
    const asked = [[server.pid!], [other.pid!, server.pid!], [other.pid!], []];
    expect(await Promise.all(asked.map((pids) => listensOn(port, () => pids)))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  },
);

it.runIf(process.platform === "linux")("detects that a port is no longer in use", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const before = await listensOn(port, () => [process.pid]);
  server.close();
  await once(server, "close");
  expect([before, await listensOn(port, () => [process.pid])]).toEqual([true, false]);
});
