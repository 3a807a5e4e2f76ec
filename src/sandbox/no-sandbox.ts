import type { SandboxReport } from "../contract/environment.ts";
import type { Launch, PreparedLaunch, Sandbox } from "./sandbox.ts";

/** No confinement at all: what is left when there is no other, and for what a person lets out of the sandbox. */
export class NoSandbox implements Sandbox {
  readonly level = "none";
  readonly report: SandboxReport;

  /** `missing`: why there is none. */
  constructor(missing: readonly string[] = []) {
    this.report = {
      level: "none",
      missing,
      gaps: [
        "Commands reach all that the user can reach whom the tools run as.",
        "What leaves the session of a command and empties its environment (`env -i setsid …`) is not found at its end, and goes on running.",
      ],
    };
  }

  async prepare(launch: Launch): Promise<PreparedLaunch> {
    return unconfined(launch);
  }

  async close(): Promise<void> {}
}

/** The program itself, as it is. */
export function unconfined({ file, args, cwd, env }: Launch): PreparedLaunch {
  return {
    file,
    args,
    cwd,
    env,
    descriptors: [],
    endsTogether: false,
    started: async () => {},
    reach: reachHere,
    finished: async () => [],
  };
}

/** The loopback of what is not confined is ours. */
async function reachHere(
  port: number,
): Promise<{ readonly host: string; readonly port: number } | undefined> {
  for (const host of ["127.0.0.1", "::1"]) if (await answers(host, port)) return { host, port };
  return undefined;
}

async function answers(host: string, port: number): Promise<boolean> {
  // Loaded when it is needed: every call loads this file.
  const { connect } = await import("node:net");
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const tell = (isThere: boolean) => {
      socket.destroy();
      resolve(isThere);
    };
    socket.once("connect", () => tell(true)).once("error", () => tell(false));
  });
}
