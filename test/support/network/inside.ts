import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Duplex } from "node:stream";
import { text } from "node:stream/consumers";
import { type Network, openNetwork } from "../../../src/sandbox/network/open-network.ts";

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Inside extends AsyncDisposable {
  readonly network: Network;
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
}

/** Runs a command in a network namespace, from which it can connect to the hosts that `mayConnect` allows. */
export function startInside(
  command: readonly string[],
  options: {
    readonly mayConnect?: (host: string, port: number) => boolean;
    readonly env?: Readonly<Record<string, string>>;
    readonly cwd?: string;
    /** The maximum number of open connections of the relay. */
    readonly descriptors?: number;
  } = {},
): Inside {
  const network = openNetwork({
    perl: "perl",
    descriptor: 3,
    mayConnect: options.mayConnect,
    // Every name resolves to this machine.
    resolve: async () => [{ address: "127.0.0.1", family: 4 }],
  });
  const env = { PATH: process.env.PATH ?? "", HOME: options.cwd ?? "/nonexistent", ...options.env };
  const inner = network.wrap(command, env);
  const limited =
    options.descriptors === undefined
      ? []
      : ["sh", "-c", `ulimit -Sn ${options.descriptors}; exec "$@"`, "sh"];
  const confined =
    "--dev-bind / / --proc /proc --unshare-net --unshare-pid --new-session --die-with-parent --".split(" ");
  const bubblewrap = "bwrap";
  const child = spawn(bubblewrap, [...confined, ...limited, ...inner.command], {
    cwd: options.cwd ?? "/",
    env: inner.env,
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  network.attach(child.stdio[3] as Duplex);
  const exit = once(child, "exit");
  const ended = Promise.all([text(child.stdout!), text(child.stderr!), exit]).then(
    ([stdout, stderr, [code]]) => ({ code, stdout, stderr }),
  );
  return {
    network,
    child,
    ended,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await network.close();
      await ended;
    },
  };
}
