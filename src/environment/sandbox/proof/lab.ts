import { type ChildProcess, spawn } from "node:child_process";
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
import { isGone, thisProcess } from "../../local/changes/process-owner.ts";
import { namesIn } from "../../names-in.ts";
import { processesWith } from "./processes-with.ts";

/** Everything that attacks aim at, made for them alone. `await using` removes it. */
export interface Lab extends AsyncDisposable {
  /** A repository with a secret in it. */
  readonly workspace: string;
  /** Another directory of the shared temporary one. */
  readonly outside: string;
  /** Below the home directory of the person; undefined where that cannot be written. */
  readonly home: string | undefined;
  /** Where Toolcrib keeps what belongs to it. */
  readonly state: string;
  readonly config: string;
  /** Stands in everything that must not be read. */
  readonly canary: string;
  /** Marks what is made outside, and how long a runaway sleeps. */
  readonly mark: string;
  readonly seconds: string;
  /** A process of the person, whose variables hold the canary. */
  readonly victim: ChildProcess;
  readonly ports: { readonly tcp: number; readonly udp: number };
  readonly sockets: { readonly path: string; readonly abstract: string };
  /** Who has come by. */
  readonly visits: Readonly<Record<"tcp" | "udp" | "path" | "abstract", number>>;
  has(path: string): boolean;
  read(path: string): string;
}

export async function openLab(): Promise<Lab> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "toolcrib-doctor-")));
  const at = (name: string) => join(base, name);
  const home = makeHome();
  const mark = `toolcrib-${randomBytes(6).toString("hex")}`;
  const seconds = String(randomInt(100_000_000, 999_999_999));
  const canary = `canary ${randomBytes(12).toString("hex")}`;
  const lab = {
    workspace: at("work space"),
    outside: at("outside"),
    state: at("state"),
    config: at("config"),
  };
  for (const path of Object.values(lab)) mkdirSync(path, { mode: 0o700 });
  fill(lab, home, canary);

  const visits = { tcp: 0, udp: 0, path: 0, abstract: 0 };
  const sockets = { path: at("s"), abstract: mark };
  const count = (name: keyof typeof visits) => (socket: { destroy(): void }) => {
    visits[name] += 1;
    socket.destroy();
  };
  const tcp = createServer(count("tcp")).listen(0, "127.0.0.1");
  const servers: Server[] = [tcp, createServer(count("path")).listen(sockets.path)];
  if (process.platform === "linux") servers.push(createServer(count("abstract")).listen(`\0${mark}`));
  const udp = createSocket("udp4").on("message", () => {
    visits.udp += 1;
  });
  udp.bind(0, "127.0.0.1");
  await Promise.all([...servers, udp].map((server) => once(server, "listening")));
  const victim = spawn("sleep", ["600"], { stdio: "ignore", env: { ...process.env, CANARY: canary } });
  await once(victim, "spawn");
  // As a key of the person would stand among our own variables.
  process.env[variableOf(mark)] = canary;

  return {
    ...lab,
    ...{ home, canary, mark, victim, sockets, visits, seconds },
    ports: { tcp: (tcp.address() as AddressInfo).port, udp: udp.address().port },
    has: (path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined,
    read: (path) => readIfThere(path),
    [Symbol.asyncDispose]: async () => {
      delete process.env[variableOf(mark)];
      victim.kill("SIGKILL");
      const runaways = [seconds, hidden(seconds)].flatMap((word) => processesWith("sleep", word));
      for (const pid of runaways) process.kill(pid, "SIGKILL");
      for (const server of servers) server.close();
      udp.close();
      for (const path of [base, home]) if (path !== undefined) rmSync(path, { recursive: true, force: true });
      // What should not be there at all.
      for (const path of systemFiles(mark)) rmSync(path, { force: true });
    },
  };
}

/** How long a runaway sleeps that hides. */
export function hidden(seconds: string): string {
  return `${seconds}.5`;
}

/** Where root could write. */
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
  // As `git init` makes it; git itself may be missing.
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

/** Removes as well what a doctor left that was killed. */
function makeHome(): string | undefined {
  try {
    const home = realpathSync(homedir());
    for (const name of namesIn(home).filter((entry) => entry.startsWith(homePrefix))) {
      const [owner = ""] = name.slice(homePrefix.length).split(".");
      if (isGone(owner, 0)) rmSync(join(home, name), { recursive: true, force: true });
    }
    return mkdtempSync(join(home, `${homePrefix}${thisProcess()}.`));
  } catch {
    return undefined;
  }
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
