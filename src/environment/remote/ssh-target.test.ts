import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { isAlive } from "../../../test/support/is-alive.ts";
import { EchoClient } from "../../../test/support/remote/echo-client.ts";
import { sshMissing, sshServer } from "../../../test/support/remote/ssh-server.ts";
import { targetProgramsWith } from "../../../test/support/remote/target-programs.ts";
import type { ToolError } from "../../contract/error.ts";
import { connectTarget, manageTarget } from "./connect-target.ts";
import { openRemoteEnvironment } from "./remote-environment.ts";
import { parseTarget } from "./target.ts";
import type { TargetPrograms } from "./target-programs.ts";

/** The number of cuts; 1000 for the whole figure. */
const cuts = Number(process.env.TOOLCRIB_CUTS ?? 8);

describe.skipIf(sshMissing)(
  `a target over a real ssh server${sshMissing ? `: ${sshMissing}` : ""}`,
  {
    tags: ["differs-for-root"],
  },
  () => {
    let programs: TargetPrograms;
    beforeAll(async () => {
      programs = await targetProgramsWith(
        new URL("../../../test/support/remote/echo-server.ts", import.meta.url),
      );
    });

    it(`loses nothing and repeats nothing when ssh is killed ${cuts} times`, async () => {
      await using there = sshServer();
      const { env, workspace } = there;
      const target = parseTarget(`ssh:test-host:${workspace}`);
      const client = new EchoClient(await connectTarget(target, { programs, env }));
      const child = Number(await client.ask("start"));
      const sent = ["start"];
      for (let cut = 0; cut < cuts; cut++) {
        const batch = Array.from({ length: 20 }, (_, index) => `m${sent.length + index}`);
        sent.push(...batch);
        for (const text of batch) await client.channel.send(Buffer.from(text));
        const received: string[] = [];
        const last = Math.floor(Math.random() * batch.length);
        for (const [index] of batch.entries()) {
          if (index === last) for (const pid of there.clients()) process.kill(pid, "SIGKILL");
          received.push(await client.next());
        }
        expect(received).toEqual(batch);
      }
      expect(isAlive(child)).toBe(true);
      expect(readFileSync(join(workspace, "seen"), "utf8")).toBe(`${sent.join("\n")}\n`);
      const list = async () => (await manageTarget(target, { kind: "list" }, { programs, env })).sessions;
      const session = expect.objectContaining({ workspace, isAttached: true, running: 1 });
      // The last killed client may still be connecting again.
      await expect.poll(list, { timeout: 20_000 }).toEqual([session]);
      await client.channel.close();
      await expect.poll(() => isAlive(child)).toBe(false);
    });

    it("gives the files and commands of the target, in its own sandbox", async () => {
      await using there = sshServer();
      const { env, workspace } = there;
      const real = await targetProgramsWith();
      expect(gzipSync(real.server.content).length).toBeLessThan(150_000);
      const target = parseTarget(`ssh:test-host:${workspace}`);
      const environment = await openRemoteEnvironment(await connectTarget(target, { programs: real, env }));
      await environment.writeFile("a.txt", Buffer.from("hello"));
      for (const pid of there.clients()) process.kill(pid, "SIGKILL");
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
