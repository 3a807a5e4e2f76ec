import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  writeFileSync,
} from "node:fs";
import { homedir, userInfo } from "node:os";
import { dirname, join } from "node:path";
import { shellQuote } from "../../../src/lib/text/shell-quote.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "toolcrib-tests", "openssh");
// How long to wait for the network.
const patienceMs = 60_000;
const server = findServer();

/** Why tests with a real ssh server are skipped; undefined when there is one. */
export const sshMissing: string | undefined =
  server === undefined
    ? "needs ssh, a user with a login shell, and Debian's openssh-server, for root installed"
    : undefined;

/** A real ssh server for the current user, and the settings of a client that reaches it as `test-host`. */
export interface SshServer extends AsyncDisposable {
  /** Variables with which `ssh` uses the settings. */
  readonly env: NodeJS.ProcessEnv;
  /** The workspace on the target. */
  readonly workspace: string;
  /** The folder in which Toolcrib leaves its files. */
  readonly folder: string;
  /** Returns the ids of the running ssh clients. */
  clients(): readonly number[];
}

/**
 * The client starts a server for each connection, as inetd does, so that no port is used and none has to be stopped.
 * `knowsHost`: whether the client has the key of the server.
 */
export function sshServer({ knowsHost = true } = {}): SshServer {
  const temporary = temporaryFolder();
  const at = (name: string) => join(temporary.path, name);
  for (const name of ["workspace", "home", "programs"]) mkdirSync(at(name));
  for (const name of ["host-key", "user-key"])
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", at(name)]);
  const keyOf = (name: string) => execFileSync("cat", [at(`${name}.pub`)], { encoding: "utf8" }).trim();
  writeFileSync(at("authorized"), keyOf("user-key"), { mode: 0o600 });
  writeFileSync(at("known-hosts"), knowsHost ? `test-host ${keyOf("host-key")}\n` : "");
  writeFileSync(
    at("server-settings"),
    [
      ...["UsePAM no", "StrictModes no", "PasswordAuthentication no", "PermitRootLogin yes", "PidFile none"],
      `HostKey "${at("host-key")}"`,
      `AuthorizedKeysFile "${at("authorized")}"`,
      `SetEnv "HOME=${at("home")}" "XDG_CACHE_HOME=${at("home")}/.cache" "XDG_STATE_HOME=${at("home")}/.state" "PATH=${dirname(process.execPath)}:/usr/bin:/bin"`,
    ].join("\n"),
  );
  const libraries = globSync(join(cache, "usr/lib/*-linux-gnu")).join(":");
  writeFileSync(
    at("programs/start-server"),
    `#!/bin/sh\nLD_LIBRARY_PATH=${shellQuote(libraries)} exec ${shellQuote(server ?? "")} -i -r -f ${shellQuote(at("server-settings"))}\n`,
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
  return {
    env: { ...process.env, PATH: `${at("programs")}:${process.env.PATH}` },
    workspace: realpathSync(at("workspace")),
    folder: join(at("home"), ".cache/toolcrib/remote"),
    clients: () =>
      execFileSync("ps", ["-eo", "pid=,args="], { encoding: "utf8" })
        .split("\n")
        .filter((line) => line.includes(`/usr/bin/ssh -F ${at("client-settings")}`))
        .map((line) => Number.parseInt(line, 10)),
    [Symbol.asyncDispose]: () => temporary[Symbol.asyncDispose](),
  };
}

/** Returns the ssh server: the installed one, else the one of Debian's package, unpacked into the cache of the tests. */
function findServer(): string | undefined {
  if (process.platform !== "linux" || !existsSync("/usr/bin/ssh")) return undefined;
  // The server lets only users in who have a shell. CI runs the tests as a user without one.
  if (/(?:nologin|false)$/.test(userInfo().shell ?? "")) return undefined;
  const found = ["/usr/sbin/sshd", join(cache, "usr/sbin/sshd")].find((path) => existsSync(path));
  const file = found ?? fetchServer();
  return file !== undefined && canSeparate() ? file : undefined;
}

function fetchServer(): string | undefined {
  mkdirSync(cache, { recursive: true });
  if (!succeeds("apt-get", ["download", "-q", "openssh-server", "libwrap0"])) return undefined;
  for (const name of readdirSync(cache).filter((file) => file.endsWith(".deb")))
    succeeds("dpkg-deb", ["-x", name, "."]);
  const file = join(cache, "usr/sbin/sshd");
  return existsSync(file) ? file : undefined;
}

/** As root, the server needs the user and the folder that its package creates. Tests do not create users. */
function canSeparate(): boolean {
  return process.getuid?.() !== 0 || (succeeds("id", ["sshd"]) && existsSync("/run/sshd"));
}

function succeeds(program: string, args: readonly string[]): boolean {
  return spawnSync(program, args, { cwd: cache, stdio: "ignore", timeout: patienceMs }).status === 0;
}
