/**
 * Runs tasks in the sandbox, each in its own workspace through the whole pipeline, and prints the results. It is a
 * separate process, so that it can run as another user. The user approves everything but hosts.
 */
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { dirname, join } from "node:path";
import type { SandboxLevel } from "../../src/contract/call.ts";
import { openToolcrib } from "../../src/toolcrib/index.ts";
import { openRegistry } from "./registry.ts";
import { type Work, works } from "./works.ts";

const [folder, level, ...names] = process.argv.slice(2) as [string, SandboxLevel, ...string[]];

const outcomes: Record<string, readonly string[]> = {};
for (const name of names) outcomes[name] = await carryOut(name, works[name]!);
console.log(JSON.stringify(outcomes));

async function carryOut(name: string, { files = {}, rules = [], steps }: Work): Promise<readonly string[]> {
  const place = join(folder, name);
  const workspace = join(place, "work space");
  await using registry = await openRegistry();
  const port = await freePort();
  const filled = (text: string) => text.replaceAll("REGISTRY", registry.address).replaceAll("FREEPORT", port);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(workspace, path)), { recursive: true });
    writeFileSync(join(workspace, path), filled(content));
  }
  mkdirSync(workspace, { recursive: true });
  const crib = await openToolcrib({
    workspace,
    stateDirectory: join(place, "state"),
    configDirectory: join(place, "config"),
    sandbox: level,
    rules,
    approve: ({ accesses }) => ({ allow: accesses.every(({ kind }) => kind !== "network") }),
  });
  try {
    const outputs: string[] = [];
    for (const step of steps) {
      const call = typeof step === "string" ? { tool: "shell.run", input: { command: step } } : step;
      const { tool, input } = JSON.parse(filled(JSON.stringify(call)));
      const { content } = await crib.call(tool, input);
      outputs.push(steadyWords(content).replace(`port ${port} at `, ""));
    }
    return outputs;
  } finally {
    await crib.close();
  }
}

/** Removes text that differs each time, and notes about the sandbox level and about undo. */
function steadyWords(content: string): string {
  return content
    .split("\n")
    .filter((line) => !/^\[(?:sandbox: |Undo does not cover: )/.test(line))
    .join("\n")
    .replace(/\d+\.\d s\b/g, "N s")
    .replace(/localhost:\d+/g, "localhost:N");
}

async function freePort(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return String(port);
}
