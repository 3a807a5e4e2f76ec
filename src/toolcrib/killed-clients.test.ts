import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { builtProgram } from "../../test/support/built-program.ts";
import { bundledProgram } from "../../test/support/bundled-program.ts";
import { snapshot } from "../../test/support/environment/change-world.ts";
import { isAlive } from "../../test/support/is-alive.ts";
import { type CommandTarget, commandTarget } from "../../test/support/remote/command-target.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { workspaceFiles } from "../system/directories.ts";
import { openToolcrib, type Toolcrib } from "./index.ts";

// A client on a target is killed while its command runs, in a transaction.

let program: string;
beforeAll(async () => {
  // The client sends the programs of the build.
  expect(builtProgram).not.toBe("");
  program = await bundledProgram(new URL("../../test/support/remote/endless-command.ts", import.meta.url));
});

let there: CommandTarget;
let here: ReturnType<typeof temporaryFolder>;
let client: ChildProcess | undefined;
beforeEach(() => {
  there = commandTarget("cd ~/../workspace");
  here = temporaryFolder();
  writeFileSync(join(there.workspace, "a"), "one\n");
});
afterEach(async () => {
  await kill();
  await there[Symbol.asyncDispose]();
  await here[Symbol.asyncDispose]();
});

describe("the next start", () => {
  it("ends the server of a killed client with its command, and rolls back", async () => {
    const before = snapshot(there.workspace);
    const command = await startClient();
    const [server] = servers();
    await kill();
    await using crib = await open();
    expect([command, server!].map(isAlive)).toEqual([false, false]);
    expect(crib.recovered.map(({ outcome, leftAlone }) => [outcome, leftAlone])).toEqual([
      ["taken back", []],
    ]);
    expect(snapshot(there.workspace)).toEqual(before);
    expect(recordsHere()).toHaveLength(1);
    await crib.close();
    expect(recordsHere()).toEqual([]);
  });

  it("ends a command whose client and server were killed", { tags: "slow" }, async () => {
    const before = snapshot(there.workspace);
    const command = await startClient();
    const [server] = servers();
    process.kill(server!, "SIGKILL");
    await kill();
    await using crib = await open();
    expect(isAlive(command)).toBe(false);
    expect(crib.recovered).toMatchObject([{ outcome: "taken back", leftAlone: [] }]);
    expect(snapshot(there.workspace)).toEqual(before);
  });
});

describe("the server of a living client", { tags: "slow" }, () => {
  it("is left alone by the next start; when the client is killed, an open instance ends it before a command changes files", async () => {
    const command = await startClient();
    const [server] = servers();
    const first = await open();
    expect(first.recovered).toEqual([]);
    await first.close();
    await expect.poll(servers).toEqual([server]);
    expect(isAlive(command)).toBe(true);
    await using crib = await open();
    expect(servers()).toHaveLength(2);
    await kill();
    expect(await crib.call("shell.run", { command: "echo two > b" })).toMatchObject({ error: null });
    expect(isAlive(command)).toBe(false);
    expect(servers()).toHaveLength(1);
    expect(crib.warnings.filter((text) => text.includes("could not be stopped"))).toEqual([]);
  });
});

function where() {
  return { target: there.target.name, sandbox: "none" } as const;
}

function open(): Promise<Toolcrib> {
  return openToolcrib({
    ...where(),
    mode: "yolo",
    ...{ stateDirectory: join(here.path, "state"), configDirectory: join(here.path, "config") },
  });
}

/** Starts the client, and returns the id of its command when it runs. */
async function startClient(): Promise<number> {
  client = spawn(process.execPath, [program, here.path, "", JSON.stringify(where())], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const file = join(there.workspace, "pid");
  await expect.poll(() => client?.exitCode ?? existsSync(file)).toBe(true);
  return Number(readFileSync(file, "utf8"));
}

async function kill(): Promise<void> {
  if (client === undefined) return;
  const exit = once(client, "exit");
  if (client.kill("SIGKILL")) await exit;
  client = undefined;
}

/** Returns the ids of the servers that run on the target. */
function servers(): readonly number[] {
  const folder = join(there.folder, "sessions");
  const pids = readdirSync(folder).map(
    (session) => JSON.parse(readFileSync(join(folder, session, "record.json"), "utf8")).pid as number,
  );
  return pids.filter(isAlive);
}

function recordsHere(): readonly string[] {
  return readdirSync(workspaceFiles(join(here.path, "state"), there.target.name).servers);
}
