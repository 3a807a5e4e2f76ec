import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { connectHub, type Hub } from "../../src/mcp/hub/connect-hub.ts";
import { openToolcrib, type Toolcrib } from "../../src/toolcrib/index.ts";
import type { misbehaviours } from "./misbehaviours.ts";

/** An instance with a server that misbehaves, "bad", and one that does not, "good". */
export interface World {
  readonly crib: Toolcrib;
  readonly hub: Hub;
  call(name: string, input: unknown, timeoutMs?: number): Promise<Answer>;
  /** Long names of the bad server's tools. */
  names(): readonly (string | undefined)[];
  state(): ReturnType<Hub["states"]>[number] | undefined;
  until(isTrue: () => boolean): Promise<void>;
  /** Resolves with the state of the bad server once it has this status. */
  warningsWhen(state: string): Promise<readonly string[]>;
  /** Returns the processes that are still running. */
  close(): Promise<readonly string[]>;
}

export interface Answer {
  readonly content: string;
  readonly isError: boolean;
}

/** All instances share a workspace and its journal, in `shared`. */
export async function openWorld(misbehaviour: keyof typeof misbehaviours, shared: string): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), "toolcrib hostile "));
  const workspace = join(shared, "work space");
  mkdirSync(workspace, { recursive: true });
  const server = (name: string) => ({
    command: process.execPath,
    args: [join(import.meta.dirname, "server.ts"), name],
    env: {
      SECRET_WORD: "a-secret-word-of-the-user",
      STARTED_FOR: folder,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? "",
    },
    startTimeoutMs: name === "healthy" ? 60_000 : (startTimeouts[name] ?? 60_000),
  });
  const hub = connectHub({
    workspace,
    servers: { bad: server(misbehaviour), good: server("healthy") },
    stateDirectory: join(folder, "state"),
    times: { restartMs: 10, graceMs: 100, exitMs: 100, followMs: 100 },
  });
  const crib = await openToolcrib({
    workspace,
    sources: [hub],
    mode: "yolo",
    stateDirectory: join(shared, "state"),
    configDirectory: join(shared, "config"),
  });
  await hub.ready;
  const state = () => hub.states()[0];
  const until = async (isTrue: () => boolean) => {
    while (!isTrue()) await pause(20);
  };
  return {
    crib,
    hub,
    call: async (name, input, timeoutMs = 60_000) => {
      const { content, isError } = await crib.call(name, input, { timeoutMs });
      return { content, isError };
    },
    names: () => hub.tools.filter(({ server }) => server === "bad").map(({ canonical }) => canonical),
    state,
    until,
    warningsWhen: async (wanted) => {
      await until(() => state()?.state === wanted);
      return hub.warnings.filter((warning) => warning.startsWith("The MCP server bad"));
    },
    close: async () => {
      await crib.close();
      const left = startedFor(folder);
      rmSync(folder, { recursive: true, force: true });
      return left;
    },
  };
}

/** Servers that never get this far. */
const startTimeouts: Readonly<Record<string, number>> = { "answers-nothing": 500, "stops-reading": 500 };

/** Returns the command lines of all processes that have the folder in a variable; none without /proc. */
function startedFor(folder: string): readonly string[] {
  const textOf = (pid: string, file: string) => {
    try {
      return readFileSync(`/proc/${pid}/${file}`, "utf8");
    } catch {
      return "";
    }
  };
  const numbers =
    process.platform === "linux" ? readdirSync("/proc").filter((name) => /^\d+$/.test(name)) : [];
  return numbers
    .filter((pid) => textOf(pid, "environ").includes(`STARTED_FOR=${folder}`))
    .map((pid) => textOf(pid, "cmdline").replaceAll("\0", " "));
}
