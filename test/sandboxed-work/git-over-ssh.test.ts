/** @module-tag slow */
import { execFileSync } from "node:child_process";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sshMissing, sshServer } from "../support/remote/ssh-server.ts";
import { missingHere } from "../support/sandbox-fixture.ts";
import { temporaryToolcrib } from "../support/temporary-toolcrib.ts";

const missing = sshMissing ?? (await missingHere("bwrap"));

describe.skipIf(missing !== undefined)(`git over ssh${missing ? `: ${missing}` : ""}`, () => {
  it("reaches a host that a rule allows, and no other", async () => {
    await using there = sshServer();
    const port = await there.listen();
    const repository = join(there.workspace, "there.git");
    execFileSync("git", ["init", "-q", "--bare", repository]);
    const address = `ssh://127.0.0.1:${port}${encodeURI(repository)}`;
    const commands = [
      "git init -q -b main && git -c user.name=A -c user.email=a@example.com commit -q --allow-empty -m first",
      `git push -q ${address} main && git ls-remote ${address} | cut -f2`,
    ];
    const run = async (rules: readonly string[]) => {
      await using opened = await temporaryToolcrib({ mode: "yolo", sandbox: "bwrap", rules });
      opened.write("user-key", there.keys.user);
      chmodSync(opened.at("user-key"), 0o600);
      opened.write("known", `[127.0.0.1]:${port} ${there.keys.server}\n`);
      const ssh = "ssh -i user-key -o IdentitiesOnly=yes -o UserKnownHostsFile=known";
      await opened.crib.call("shell.run", { command: commands[0]! });
      const { content } = await opened.crib.call("shell.run", {
        command: `export GIT_SSH_COMMAND='${ssh}'; ${commands[1]}`,
      });
      return content;
    };
    expect(await run([])).toContain(
      "[No server of this session listens there. The rule `allow connect 127.0.0.1` lets commands connect to servers of this machine by HTTP and ssh.]",
    );
    expect(await run(["allow connect 127.0.0.1"])).toBe("refs/heads/main");
  });
});
