import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync } from "node:fs";
import type { Duplex } from "node:stream";
import { undefinedUnlessExhausted } from "../lib/exhaustion.ts";
import type { Launch, Sandbox } from "./sandbox.ts";

interface ProbeFailure {
  readonly stderr: string;
  /** The reason why the sandbox was not set up, if known. */
  readonly error: string | undefined;
  /** Null when a signal ended the program. */
  readonly code: number | null;
}

/** Tests whether a sandbox works on this machine, with a program that does nothing. Returns undefined when it works. */
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
    const child = spawn(launch.file, launch.args, {
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
    const error = await launch.started({ pid: child.pid ?? 0, channels }).then(
      () => undefined,
      (failure: Error) => {
        // The program may still wait for the byte that lets it begin.
        child.kill("SIGKILL");
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
