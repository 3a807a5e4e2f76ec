/** @module-tag slow */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { sshMissing, sshServer } from "../../../test/support/remote/ssh-server.ts";
import { targetProgramsWith } from "../../../test/support/remote/target-programs.ts";
import type { ToolError } from "../../contract/error.ts";
import { attempt } from "../../system/attempt.ts";
import { connectTarget } from "./connect-target.ts";
import { openRemoteEnvironment } from "./remote-environment.ts";
import { parseTarget } from "./target.ts";
import type { TargetPrograms } from "./target-programs.ts";

describe.skipIf(sshMissing)(
  `a target over a real ssh server${sshMissing ? `: ${sshMissing}` : ""}`,
  {
    tags: ["root"],
  },
  () => {
    let programs: TargetPrograms;
    beforeAll(async () => {
      programs = await targetProgramsWith();
    });

    it("gives the files and commands of the target, in its own sandbox", async () => {
      await using there = sshServer();
      const { env, workspace } = there;
      expect(gzipSync(programs.server.content).length).toBeLessThan(168_000);
      const target = parseTarget(`ssh:test-host:${workspace}`);
      const environment = await openRemoteEnvironment(await connectTarget(target, { programs, env }));
      await environment.writeFile("a.txt", Buffer.from("hello"));
      for (const pid of there.clients()) process.kill(pid, "SIGKILL");
      await environment.info("a.txt");
      // The server reads the pipe of sshd itself, and notices when the process is killed that had it.
      const { attach, server } = processesOf(there.folder);
      expect(pipesOf(server)).toEqual(expect.arrayContaining([readlinkSync(`/proc/${attach}/fd/0`)]));
      process.kill(attach, "SIGKILL");
      const { bytes } = await environment.readFile("a.txt", { maxBytes: 100 });
      const { signal } = new AbortController();
      const running = await environment.start("cat", { args: ["a.txt"], confinement: "ours", signal });
      const output: Uint8Array[] = [];
      for await (const chunk of running.stdout) output.push(chunk);
      expect([environment.workspace, `${Buffer.from(bytes)}`, `${Buffer.concat(output)}`]).toEqual([
        workspace,
        "hello",
        "hello",
      ]);
      expect(readFileSync(join(workspace, "a.txt"), "utf8")).toBe("hello");
      await environment.close();
    });

    it("says why ssh refuses an unknown host, and how to fix it", async () => {
      await using there = sshServer({ knowsHost: false });
      const target = parseTarget("ssh:test-host");
      const error = await connectTarget(target, { programs, env: there.env }).catch((one: ToolError) => one);
      expect(error).toMatchObject({
        code: "unavailable",
        message: expect.stringMatching(
          /^ssh:test-host cannot be reached: .*Host key verification failed\.$/s,
        ),
        forUser: {
          hint: expect.stringMatching(/^Run this until it works: ssh .* -- test-host 'sh -c true'$/),
        },
      });
    });
  },
);

/** Returns the ids of the newest process that a connection has started, and of the server. */
function processesOf(folder: string): { readonly attach: number; readonly server: number } {
  const lines = execFileSync("ps", ["-eo", "pid=,args="], { encoding: "utf8" }).split("\n");
  const own = lines.filter((line) => line.includes(folder));
  const isServer = (line: string) => line.includes(`${folder}/servers/`);
  const pidOf = (line: string | undefined) => Number.parseInt(line ?? "", 10);
  return { attach: pidOf(own.findLast((line) => !isServer(line))), server: pidOf(own.find(isServer)) };
}

function pipesOf(pid: number): readonly string[] {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).flatMap((name) => attempt(() => readlinkSync(join(folder, name))) ?? []);
}
