import { randomBytes, randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { type AddressInfo, createServer, type Server } from "node:net";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { ToolError } from "../../contract/error.ts";
import { attempt } from "../../system/attempt.ts";
import { namesIn } from "../../system/directories.ts";
import { ownerHasEnded, readSystemFile, thisProcess } from "../../system/process-identity.ts";
import { type ChildProcess, startProgram } from "../../system/start-program.ts";

/** The targets of attacks. `await using` removes them. */
export interface Lab extends AsyncDisposable, Omit<VisitedServers, "close"> {
  /** A repository that contains a secret. */
  readonly workspace: string;
  /** Another directory in the shared temporary directory. */
  readonly outside: string;
  /** A directory in the user's home directory; undefined when that is not writable. */
  readonly home: string | undefined;
  /** Toolcrib's own state. */
  readonly state: string;
  readonly config: string;
  /** A text in everything that must not be read. */
  readonly canary: string;
  /** A part of the names of files that attacks create outside. */
  readonly mark: string;
  /** How long a runaway process sleeps. The number identifies the process. */
  readonly seconds: string;
  /** A process of the user, whose variables contain the canary. */
  readonly victim: ChildProcess;
  isVictimAlive(): Promise<boolean>;
  has(path: string): boolean;
  read(path: string): string;
}

export async function openLab(): Promise<Lab> {
  const mark = `toolcrib-${randomBytes(6).toString("hex")}`;
  const canary = `canary ${randomBytes(12).toString("hex")}`;
  const seconds = String(randomInt(100_000_000, 999_999_999));
  const made: string[] = [];
  let visited: VisitedServers | undefined;
  let victim: ChildProcess | undefined;
  const close = async () => {
    delete process.env[variableOf(mark)];
    victim?.kill("SIGKILL");
    visited?.close();
    const runaways = [seconds, hidden(seconds)].flatMap((word) => processesWith("sleep", word));
    for (const pid of runaways) process.kill(pid, "SIGKILL");
    // These system files should not exist at all.
    for (const path of [...made, ...systemFiles(mark)]) rmSync(path, { recursive: true, force: true });
  };
  try {
    const base = makeBase(tmpdir());
    made.push(base);
    const home = makeHome();
    if (home !== undefined) made.push(home);
    const make = (name: string) => mkdirSync(join(base, name), { mode: 0o700, recursive: true })!;
    const [workspace, outside] = [make("work space"), make("outside")];
    const [state, config] = [make("state"), make("config")];
    fill({ workspace, outside, state }, home, canary);
    // The path of a socket must be short.
    const folder = Buffer.byteLength(base) < 90 ? base : makeBase("/tmp");
    if (folder !== base) made.push(folder);
    visited = await openServers({ path: join(folder, "s"), abstract: mark });
    const target = await openVictim(canary);
    victim = target.victim;
    // The canary stands for a key of the user in the variables of this process.
    process.env[variableOf(mark)] = canary;
    return {
      ...{ workspace, outside, home, state, config, canary, mark, seconds },
      ...target,
      ...visited,
      has: (path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined,
      read: (path) => attempt(() => readFileSync(path, "utf8")) ?? "",
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Starts a process that replies to requests, which shows whether it is alive without waiting for a fixed time. */
async function openVictim(canary: string): Promise<Pick<Lab, "victim" | "isVictimAlive">> {
  const victim = startProgram("/bin/sh", ["-c", "while read word; do echo alive; done"], {
    stdio: ["pipe", "pipe", "ignore"],
    env: { CANARY: canary },
  });
  victim.stdin.on("error", () => {});
  await once(victim, "spawn");
  const gone = once(victim, "exit").then(() => false);
  const answer = () => once(victim.stdout, "data").then(() => true);
  return {
    victim,
    isVictimAlive: () => {
      const alive = Promise.race([gone, answer()]);
      victim.stdin.write("alive?\n");
      return alive;
    },
  };
}

function makeBase(folder: string): string {
  try {
    return realpathSync(mkdtempSync(join(folder, "toolcrib-doctor-")));
  } catch (cause) {
    const message = `The sandbox test cannot create a folder in ${folder}: ${(cause as Error).message}`;
    throw new ToolError("unavailable", message, { hint: "Set TMPDIR to a writable folder.", cause });
  }
}

/** Returns how long a runaway process without variables sleeps. */
export function hidden(seconds: string): string {
  return `${seconds}.5`;
}

/** Returns files that root could write. */
export function systemFiles(mark: string): readonly string[] {
  return ["/etc", "/usr"].map((directory) => join(directory, mark));
}

function variableOf(mark: string): string {
  return `${mark.replace("-", "_").toUpperCase()}_SETTING`;
}

function fill(
  { workspace, outside, state }: Pick<Lab, "workspace" | "outside" | "state">,
  home: string | undefined,
  canary: string,
): void {
  writeFileSync(join(workspace, ".env"), `SETTING="${canary}"\n`);
  // This imitates `git init`, because git itself may be missing.
  for (const name of ["hooks", "objects", "refs/heads", "info"])
    mkdirSync(join(workspace, ".git", name), { recursive: true });
  writeFileSync(join(workspace, ".git/HEAD"), "ref: refs/heads/main\n");
  writeFileSync(join(workspace, ".git/config"), "[core]\n\trepositoryformatversion = 0\n\tbare = false\n");
  writeFileSync(join(outside, "file"), "as it was\n");
  writeFileSync(join(state, "kept"), `${canary}\n`);
  if (home === undefined) return;
  mkdirSync(join(home, ".ssh"));
  writeFileSync(join(home, ".ssh/id_rsa"), `${canary}\n`, { mode: 0o600 });
}

const homePrefix = ".toolcrib-doctor-";

/** Creates a directory in the home directory, and removes those that a killed doctor has left. */
function makeHome(): string | undefined {
  try {
    const home = realpathSync(homedir());
    for (const name of namesIn(home).filter((entry) => entry.startsWith(homePrefix))) {
      if (ownerHasEnded(name.slice(homePrefix.length), 0))
        rmSync(join(home, name), { recursive: true, force: true });
    }
    return mkdtempSync(join(home, `${homePrefix}${thisProcess()}.`));
  } catch {
    return undefined;
  }
}

/** Servers of this machine that no command may reach. */
interface VisitedServers {
  readonly ports: { readonly tcp: number; readonly udp: number };
  readonly sockets: { readonly path: string; readonly abstract: string };
  /** The number of connections. */
  readonly visits: Readonly<Record<"tcp" | "udp" | "path" | "abstract", number>>;
  close(): void;
}

async function openServers(sockets: VisitedServers["sockets"]): Promise<VisitedServers> {
  const visits = { tcp: 0, udp: 0, path: 0, abstract: 0 };
  const counting = (name: keyof typeof visits) =>
    createServer((socket) => {
      visits[name] += 1;
      socket.destroy();
    });
  const servers: Server[] = [];
  const listen = async (server: Server, where: { readonly port: number } | { readonly path: string }) => {
    server.listen({ host: "127.0.0.1", ...where });
    await once(server, "listening");
    servers.push(server);
    return server;
  };
  const udp = createSocket("udp4").on("message", () => {
    visits.udp += 1;
  });
  const close = () => {
    for (const server of servers) server.close();
    udp.close();
  };
  try {
    const tcp = await listen(counting("tcp"), { port: 0 });
    await listen(counting("path"), { path: sockets.path });
    if (process.platform === "linux") await listen(counting("abstract"), { path: `\0${sockets.abstract}` });
    udp.bind(0, "127.0.0.1");
    await once(udp, "listening");
    const ports = { tcp: (tcp.address() as AddressInfo).port, udp: udp.address().port };
    return { ports, sockets, visits, close };
  } catch (error) {
    close();
    throw error;
  }
}

/** Returns the ids of processes with exactly these arguments; none on systems without /proc. */
export function processesWith(...args: readonly string[]): readonly number[] {
  const wanted = args.map((argument) => `${argument}\0`).join("");
  const pids = namesIn("/proc").filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => readSystemFile(`/proc/${pid}/cmdline`) === wanted).map(Number);
}
