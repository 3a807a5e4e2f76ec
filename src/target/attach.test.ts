/** @module-tag slow */
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { isAlive } from "../../test/support/is-alive.ts";
import { type CommandTarget, commandTarget } from "../../test/support/remote/command-target.ts";
import { EchoClient } from "../../test/support/remote/echo-client.ts";
import { targetProgramsWith } from "../../test/support/remote/target-programs.ts";
import { connectTarget } from "../environment/remote/connect-target.ts";
import type { TargetPrograms } from "../environment/remote/target-programs.ts";
import { connectForBytes } from "../system/private-socket.ts";
import { hashOf } from "./target-folder.ts";

// Nothing on a target waits without a limit. Here `attach` is not killed with its transport, as behind ssh.

let programs: TargetPrograms;
beforeAll(async () => {
  programs = await targetProgramsWith(new URL("../../test/support/remote/echo-server.ts", import.meta.url));
});

function targetBehind(): CommandTarget {
  return commandTarget('exec 3<&0; "$@" <&3 3<&- & echo $! > "$HOME/attach"; exec 3<&-; wait; exit');
}

const pidIn = (there: CommandTarget, name: string) => Number(readFileSync(join(there.home, name), "utf8"));
const idle = { idleMs: 60_000, busyMs: 60_000, silentMs: 60_000 };

describe("attach", () => {
  it("ends with its client, and ends a server that does not start", async () => {
    await using there = targetBehind();
    const file = JSON.stringify(join(there.home, "server"));
    const content = Buffer.from(
      `require("fs").writeFileSync(${file}, String(process.pid)); setInterval(() => {}, 1000)`,
    );
    const silent = { ...programs, server: { content, sha256: hashOf(content) } };
    const error = await connectTarget(there.target, { programs: silent, connectMs: 3000 }).catch(
      (one: unknown) => one,
    );
    expect(error).toMatchObject({
      code: "timeout",
      message: `${there.target.name} did not answer in 3 s`,
    });
    const pids = ["attach", "server"].map((name) => pidIn(there, name));
    await expect.poll(() => pids.map(isAlive)).toEqual([false, false]);
  });

  it("ends when the client is gone and the server hangs", async () => {
    await using there = targetBehind();
    const { target, workspace: directory } = there;
    const client = new EchoClient(await connectTarget(target, { programs, directory, reconnectMs: 0, idle }));
    const server = Number(await client.ask("pid"));
    const attach = pidIn(there, "attach");
    process.kill(server, "SIGSTOP");
    await client.channel.close();
    await expect.poll(() => isAlive(attach)).toBe(false);
    process.kill(server, "SIGKILL");
  });
});

describe("server", () => {
  it("gives up silent connections, and takes the client back", async () => {
    await using there = commandTarget('exec 3<&0; { cat <&3 & echo $! > "$HOME/relay"; wait; } | "$@"; exit');
    const { target, workspace: directory, folder } = there;
    // Long enough for a greeting on a busy machine.
    const options = { programs, directory, idle: { ...idle, silentMs: 2000 } };
    const client = new EchoClient(await connectTarget(target, options));
    const [session = ""] = readdirSync(join(folder, "sessions"));
    const here = join(folder, "sessions", session);
    await once(connectForBytes(here, "server.sock").resume(), "close");
    const relay = pidIn(there, "relay");
    process.kill(relay, "SIGSTOP");
    const record = () => JSON.parse(readFileSync(join(here, "record.json"), "utf8"));
    await expect.poll(() => record().isAttached).toBe(false);
    process.kill(relay, "SIGCONT");
    expect(await client.ask("again")).toBe("again");
    await client.channel.close();
  });
});
