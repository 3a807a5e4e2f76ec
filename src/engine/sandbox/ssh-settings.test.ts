import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { freePort } from "../../../test/support/fleet/free-port.ts";
import { firstLine, openTestNetwork } from "../../../test/support/network/inside.ts";
import { echo } from "../../../test/support/network/proxy-lab.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { copyOfSshSettings } from "./ssh-settings.ts";

it("adds the proxy to settings that are read-only, and copies no keys", async () => {
  await using folder = temporaryFolder();
  const system = join(folder.path, "system");
  mkdirSync(system);
  for (const name of ["ssh_config", "ssh_host_key"]) writeFileSync(join(system, name), "Host a\n");
  chmodSync(join(system, "ssh_config"), 0o444);
  copyOfSshSettings(folder.path, system);
  const at = (name: string) => join(folder.path, "ssh", name);
  expect(readFileSync(at("ssh_config"), "utf8")).toBe(
    "Host a\n\nHost *\n    ProxyCommand perl /etc/ssh/ssh-connect.pl %h %p\n",
  );
  expect(statSync(at("ssh_host_key"), { throwIfNoEntry: false })).toBeUndefined();
});

const missing = ["bwrap", "perl"].filter((name) => spawnSync(name, ["--version"]).error);
const program = join(import.meta.dirname, "ssh-connect.pl");
const mayConnect = (host: string) => host === "there.example" || host === "127.0.0.1";
const to = (host: string, port: number) => `perl '${program}' ${host} ${port}`;

describe.skipIf(missing.length > 0)(
  `the program by which ssh connects${missing.map((name) => `: there is no ${name}`)}`,
  () => {
    it("passes bytes in both directions, by the proxy and inside", async () => {
      await using lab = openTestNetwork();
      await using outside = await echo("from outside: ");
      const script = `printf hello | ${to("there.example", outside.port)}`;
      expect(await lab.bash(script, { mayConnect })).toMatchObject({
        stdout: "from outside: hello",
        code: 0,
      });
      const server =
        'require("node:net").createServer((one) => one.pipe(one)).listen(3000, "::1", () => console.log("up"))';
      await firstLine(await lab.start([process.execPath, "-e", server]));
      for (const host of ["localhost", "::1"]) {
        const direct = await lab.bash(`printf hello | ${to(host, 3000)}`, { mayConnect: () => false });
        expect(direct).toEqual({ stdout: "hello", stderr: "", code: 0, remarks: [] });
      }
    });

    it("tells why it cannot connect", async () => {
      await using lab = openTestNetwork();
      const port = await freePort();
      const complaint = async (host: string) => (await lab.bash(to(host, port), { mayConnect })).stderr;
      const start = (host: string) => `ssh: connect to host ${host} port ${port}: `;
      expect([
        await complaint("there.example"),
        await complaint("other.example"),
        await complaint("not_a%host"),
        await complaint("localhost"),
      ]).toEqual([
        `${start("there.example")}there.example:${port} could not be reached (ECONNREFUSED)\n`,
        `${start("other.example")}Toolcrib refused the connection to other.example:${port}. To allow it, the user can add the rule: allow connect other.example\n`,
        `${start("not_a%host")}This is a proxy: request http://host/path, or CONNECT host:port.\n`,
        `${start("localhost")}Connection refused\n`,
      ]);
    });
  },
);
