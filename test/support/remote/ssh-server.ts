import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { userInfo } from "node:os";
import { dirname, join } from "node:path";
import { shellQuote } from "../../../src/lib/text/shell-quote.ts";
import { bundledRipgrep } from "../../../src/system/find-program.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { findOpenSsh } from "./openssh.ts";

const found = findOpenSsh();

/** Why tests with a real ssh server are skipped; undefined when there is one. */
export const sshMissing: string | undefined = typeof found === "string" ? found : undefined;

/** A real ssh server for the current user, and the settings of a client that reaches it as `test-host`. */
export interface SshServer extends AsyncDisposable {
  /** Variables with which `ssh` uses the settings. */
  readonly env: NodeJS.ProcessEnv;
  /** The workspace on the target. */
  readonly workspace: string;
  /** The folder in which Toolcrib leaves its files. */
  readonly folder: string;
  /** The key of the user, and the line with the key of the server. */
  readonly keys: { readonly user: string; readonly server: string };
  /** Lets other clients connect on the loopback interface. Returns the port. */
  listen(): Promise<number>;
  /** Returns the ids of the running ssh clients. */
  clients(): readonly number[];
}

/**
 * The client starts a server for each connection, as inetd does, so that no port is used and none has to be stopped.
 * `knowsHost`: whether the client has the key of the server. `variables`: more variables of commands there.
 */
export function sshServer({
  knowsHost = true,
  variables = {},
}: {
  readonly knowsHost?: boolean;
  readonly variables?: Readonly<Record<string, string>>;
} = {}): SshServer {
  if (typeof found === "string") throw new Error(`There is no ssh server: ${found}`);
  const temporary = temporaryFolder();
  const at = (name: string) => join(temporary.path, name);
  for (const name of ["workspace", "home", "programs"]) mkdirSync(at(name));
  for (const name of ["host-key", "user-key"])
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", at(name)]);
  const keyOf = (name: string) => readFileSync(at(`${name}.pub`), "utf8").trim();
  writeFileSync(at("authorized"), keyOf("user-key"), { mode: 0o600 });
  writeFileSync(at("known-hosts"), knowsHost ? `test-host ${keyOf("host-key")}\n` : "");
  const session = {
    HOME: at("home"),
    XDG_CACHE_HOME: at("home/.cache"),
    XDG_STATE_HOME: at("home/.state"),
    // With ripgrep, which takes 0.3 s to send. The tests of containers send it.
    PATH: [dirname(process.execPath), "/usr/bin", "/bin", dirname(bundledRipgrep() ?? "/usr/bin/rg")].join(
      ":",
    ),
    ...variables,
  };
  writeFileSync(
    at("server-settings"),
    [
      ...["UsePAM no", "StrictModes no", "PasswordAuthentication no", "PermitRootLogin yes", "PidFile none"],
      `HostKey "${at("host-key")}"`,
      `AuthorizedKeysFile "${at("authorized")}"`,
      `SetEnv ${Object.entries(session)
        .map(([name, value]) => `"${name}=${value}"`)
        .join(" ")}`,
    ].join("\n"),
  );
  const { username, uid, gid } = userInfo();
  writeFileSync(at("users"), `${username}:x:${uid}:${gid}::${at("home")}:/bin/sh\n`);
  writeFileSync(at("groups"), `${username}:x:${gid}:\n`);
  const names = found.lacksShell ? { NSS_WRAPPER_PASSWD: at("users"), NSS_WRAPPER_GROUP: at("groups") } : {};
  const settings = Object.entries({ ...found.variables, ...names }).map(
    ([name, value]) => `${name}=${shellQuote(value)} `,
  );
  writeFileSync(
    at("programs/start-server"),
    `#!/bin/sh\n${settings.join("")}exec ${shellQuote(found.server)} -i -r -f ${shellQuote(at("server-settings"))}\n`,
  );
  writeFileSync(
    at("client-settings"),
    [
      ...["Host test-host", `ProxyCommand "${at("programs/start-server")}"`, "IdentitiesOnly yes"],
      ...[`IdentityFile "${at("user-key")}"`, `UserKnownHostsFile "${at("known-hosts")}"`],
      ...["GlobalKnownHostsFile /dev/null", "StrictHostKeyChecking ask"],
    ].join("\n"),
  );
  // ssh takes the home of the user from the system, so its settings cannot be replaced by a variable.
  writeFileSync(
    at("programs/ssh"),
    `#!/bin/sh\nexec /usr/bin/ssh -F ${shellQuote(at("client-settings"))} "$@"\n`,
  );
  for (const name of readdirSync(at("programs"))) chmodSync(at(`programs/${name}`), 0o755);
  const server = createServer((socket) => {
    const { stdin, stdout } = spawn(at("programs/start-server"), { stdio: ["pipe", "pipe", "ignore"] });
    socket.on("error", () => {}).pipe(stdin.on("error", () => {}));
    stdout.pipe(socket);
  });
  return {
    keys: { user: readFileSync(at("user-key"), "utf8"), server: keyOf("host-key") },
    listen: async () => {
      await once(server.listen(0, "127.0.0.1"), "listening");
      return (server.address() as AddressInfo).port;
    },
    env: { ...process.env, PATH: `${at("programs")}:${process.env.PATH}` },
    workspace: realpathSync(at("workspace")),
    folder: join(at("home"), ".cache/toolcrib/remote"),
    clients: () =>
      execFileSync("ps", ["-eo", "pid=,args="], { encoding: "utf8" })
        .split("\n")
        .filter((line) => line.includes(`/usr/bin/ssh -F ${at("client-settings")}`))
        .map((line) => Number.parseInt(line, 10)),
    [Symbol.asyncDispose]: () => {
      server.close();
      return temporary[Symbol.asyncDispose]();
    },
  };
}
