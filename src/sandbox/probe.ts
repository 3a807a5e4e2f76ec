import { once } from "node:events";
import { closeSync, statSync } from "node:fs";
import type { Duplex } from "node:stream";
import { undefinedUnlessExhausted } from "../lib/exhaustion.ts";
import { startProgram } from "../system/start-program.ts";
import type { Launch, Sandbox } from "./sandbox.ts";

interface ProbeFailure {
  readonly stderr: string;
  /** The reason why the sandbox was not set up, if known. */
  readonly error: string | undefined;
  /** Null when a signal ended the program. */
  readonly code: number | null;
}

/** The parts that decide whether a sandbox works on this machine. */
interface Proven {
  /** The program that sets up the sandbox, and how it is used. */
  readonly by: string;
  readonly how: string;
  /** The folders that it mounts or confines. Only their file systems matter. */
  readonly folders: readonly string[];
}

/** The sandboxes that have worked in this process. A server opens an instance for each of its sessions. */
const proven = new Set<string>();

/**
 * Tests whether a sandbox works on this machine, once for each program and file system. Returns undefined when it works. A
 * sandbox that stops working later fails at the start of each command, and never confines it less.
 */
export async function probeOnce(
  sandbox: Sandbox,
  program: Pick<Launch, "file" | "args" | "cwd">,
  { by, how, folders }: Proven,
): Promise<ProbeFailure | undefined> {
  const { ino, ctimeMs } = statSync(by);
  const key = JSON.stringify([by, ino, ctimeMs, how, ...folders.map((folder) => statSync(folder).dev)]);
  if (proven.has(key)) return undefined;
  const failure = await probe(sandbox, program);
  if (failure === undefined) proven.add(key);
  return failure;
}

/** Tests a sandbox with a program that does nothing. */
export async function probe(
  sandbox: Sandbox,
  program: Pick<Launch, "file" | "args" | "cwd">,
): Promise<ProbeFailure | undefined> {
  const launch = await sandbox.prepare({
    ...program,
    env: {},
    confinement: { readsOnly: true },
    reachable: false,
  });
  try {
    const stdio = launch.descriptors.map((descriptor) => (descriptor === "channel" ? "pipe" : descriptor));
    const child = startProgram(launch.file, launch.args, {
      env: { ...launch.env },
      cwd: launch.cwd,
      // Otherwise Ctrl-C in the terminal would end the probe instead of the turn.
      detached: true,
      stdio: ["ignore", "ignore", "pipe", ...stdio],
    });
    const closed = once(child, "close");
    // `closed` may reject before it is awaited, if the program cannot be started.
    closed.catch(() => {});
    // Without a pid the program was not started, and awaiting `closed` throws the reason.
    if (child.pid === undefined) await closed;
    let stderr = "";
    child.stderr!.on("data", (bytes) => {
      stderr += bytes;
    });
    const channels = child.stdio.slice(3).filter((stream) => stream !== null) as unknown as Duplex[];
    const kill = () => child.kill("SIGKILL");
    const error = await launch.started({ pid: child.pid ?? 0, channels, kill }).then(
      () => undefined,
      (failure: Error) => {
        // The program may still wait for the byte that lets it begin.
        kill();
        return failure.message;
      },
    );
    const [code] = await closed;
    return error === undefined && code === 0 ? undefined : { stderr: stderr.trim(), error, code };
  } catch (error) {
    undefinedUnlessExhausted(error);
    return { stderr: "", error: error instanceof Error ? error.message : String(error), code: null };
  } finally {
    for (const descriptor of launch.descriptors) if (descriptor !== "channel") closeSync(descriptor);
    await launch.finished();
  }
}
