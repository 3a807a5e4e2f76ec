/** @module-tag slow */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openToolcrib, type Toolcrib } from "../../src/toolcrib/index.ts";
import { isAlive } from "../support/is-alive.ts";
import { type CommandTarget, commandTarget } from "../support/remote/command-target.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let there: CommandTarget;
let crib: Toolcrib;
const folder = temporaryFolder();

beforeAll(async () => {
  there = commandTarget('cd "$HOME/../workspace"');
  crib = await openToolcrib({
    ...{ mode: "yolo", target: there.target.name },
    ...{ stateDirectory: `${folder.path}/state`, configDirectory: `${folder.path}/config` },
  });
});
afterAll(async () => {
  await crib?.close();
  await there[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

async function run(command: string, more: { readonly timeout_ms?: number } = {}) {
  const { data, error } = await crib.call("shell.run", { command, session: "main", ...more });
  return error ?? (data as { readonly stdout: string; readonly exitCode: number | null });
}

/** Ends the program that connects both sides. */
async function cut(): Promise<void> {
  const pid = there.attachPid()!;
  process.kill(pid, "SIGKILL");
  await expect.poll(() => isAlive(pid)).toBe(false);
}

describe("a shell of a target", () => {
  it("stays open when the connection breaks, also during a command", { tags: "slow" }, async () => {
    expect(await run("mkdir inner; cd inner; word=kept")).toMatchObject({ exitCode: 0 });
    await cut();
    expect(await run("pwd; echo $word")).toMatchObject({ stdout: `${there.workspace}/inner\nkept\n` });
    const running = run("until [ -e ../go ]; do sleep 0.1; done; echo $word again");
    await expect.poll(async () => (await crib.processes())[0]?.state).toBe("running");
    await cut();
    expect(await crib.call("file.write", { path: "go", content: "" })).toMatchObject({ isError: false });
    expect(await running).toMatchObject({ stdout: "kept again\n", exitCode: 0 });
  });

  it("survives a command that is ended by its time limit", async () => {
    await run("word=kept");
    expect(await run("sleep 1000", { timeout_ms: 300 })).toMatchObject({ code: "timeout" });
    expect(await run("echo $word")).toMatchObject({ stdout: "kept\n" });
  });

  it("runs nothing when it has changed its directory since the rules were applied", {
    tags: "slow",
  }, async () => {
    await run("trap 'cd /' USR1; (sleep 0.3; kill -USR1 $$; sleep 0.3; touch moved) & true");
    await expect.poll(() => existsSync(join(there.workspace, "inner/moved"))).toBe(true);
    expect(await run("true")).toMatchObject({ code: "stale" });
    expect(await run("pwd")).toMatchObject({ stdout: "/\n" });
  });
});
