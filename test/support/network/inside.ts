import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import type { ProxyGrant } from "../../../src/engine/sandbox/network/filtering-proxy.ts";
import { InstanceNetwork } from "../../../src/engine/sandbox/network/instance-network.ts";

export interface TestNetwork extends AsyncDisposable {
  readonly network: InstanceNetwork;
  /** Runs a command that can connect to the hosts that `mayConnect` allows. Every name resolves to this machine. */
  start(command: readonly string[], options?: StartOptions): Promise<Inside>;
  /** Runs a line of bash, and returns its output. */
  bash(script: string, options?: StartOptions): Promise<Ended>;
}

interface StartOptions {
  readonly mayConnect?: (host: string, port: number) => boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Remarks on its network. */
  readonly remarks: readonly string[];
}

export interface Inside {
  readonly child: ChildProcess;
  readonly grant: ProxyGrant | undefined;
  readonly ended: Promise<Ended>;
}

/** Opens a network of commands, which end with it. */
export function openTestNetwork(options: { readonly exposed?: readonly number[] } = {}): TestNetwork {
  const programs = { bubblewrap: "/usr/bin/bwrap", perl: "/usr/bin/perl" };
  const network = new InstanceNetwork({ ...programs, ...options });
  const running = new Set<Inside>();
  const start: TestNetwork["start"] = async (command, { mayConnect, env, cwd } = {}) => {
    const { namespace, remarks } = await network.join();
    const resolve = async () => [{ address: "127.0.0.1", family: 4 }];
    const grant = mayConnect && namespace.grant({ mayConnect, resolve });
    const confined =
      "--dev-bind / / --proc /proc --unshare-all --share-net --unshare-user --disable-userns --new-session --die-with-parent --".split(
        " ",
      );
    const joining = namespace.joining(programs.bubblewrap, [...confined, ...command], ["/"]);
    const child = spawn(joining.file, joining.args, {
      cwd: cwd ?? "/",
      env: { PATH: process.env.PATH ?? "", HOME: cwd ?? "/nonexistent", ...env, ...grant?.variables },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const exit = once(child, "exit");
    const ended = Promise.all([text(child.stdout), text(child.stderr), exit]).then(
      ([stdout, stderr, [code]]) => ({
        code,
        stdout,
        stderr,
        remarks: [...remarks, ...(grant?.close() ?? [])],
      }),
    );
    const inside = { child, grant, ended };
    running.add(inside);
    return inside;
  };
  return {
    network,
    start,
    bash: async (script, given) =>
      await (await start(["bash", "--noprofile", "--norc", "-c", script], given)).ended,
    [Symbol.asyncDispose]: async () => {
      for (const { child } of running) child.kill("SIGKILL");
      await Promise.all(Array.from(running, ({ ended }) => ended));
      await network.close();
    },
  };
}

/** Returns the first output of a program, as a line. */
export async function firstLine({ child }: Inside): Promise<string> {
  const [bytes] = await once(child.stdout!, "data");
  return String(bytes).trim();
}
