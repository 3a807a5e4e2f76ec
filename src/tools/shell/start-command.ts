import type { SandboxLevel } from "../../contract/account.ts";
import { ToolError } from "../../contract/error.ts";
import type { ToolContext } from "../../contract/tool.ts";
import type { GivenCommand } from "./command-access.ts";

/** A command that runs, in a shell of its own or in one that stays. */
export interface StartedCommand {
  readonly stdout: AsyncIterable<Uint8Array>;
  readonly stderr: AsyncIterable<Uint8Array>;
  readonly exit: Promise<{
    readonly code: number | undefined;
    readonly signal: string | undefined;
    readonly cwd?: string | undefined;
    readonly remarks: readonly string[];
  }>;
  readonly sandbox: SandboxLevel;
  readonly attach?: string | undefined;
  /** What is worth knowing about how it was started. */
  readonly remarks: readonly string[];
  waitsForInput(): boolean | undefined;
}

/** Without startup files and with nothing to read. */
export async function startCommand(
  { command, cwd, env, session }: GivenCommand,
  { environment, shells, signal }: Pick<ToolContext, "environment" | "shells" | "signal">,
): Promise<StartedCommand> {
  const surroundings = {
    ...(cwd === undefined ? {} : { cwd }),
    ...(env === undefined ? {} : { env }),
    signal,
  };
  if (session !== undefined) {
    const running = await shells.run(session, { command, ...surroundings });
    return { ...running, remarks: [], waitsForInput: () => running.waitsForInput() };
  }
  const start = (shell: string, options: readonly string[]) =>
    environment.start(shell, { args: [...options, "-c", command], ...surroundings });
  try {
    return startedIn(await start("bash", ["--noprofile", "--norc"]), []);
  } catch (error) {
    if (!(error instanceof ToolError) || error.code !== "unavailable") throw error;
    const inSh = await start("sh", []).catch(() => {
      throw error;
    });
    return startedIn(inSh, ["There is no bash here: sh ran it"]);
  }
}

type Started = Awaited<ReturnType<ToolContext["environment"]["start"]>>;

function startedIn(running: Started, remarks: readonly string[]): StartedCommand {
  const { stdout, stderr, exit, sandbox } = running;
  return { stdout, stderr, exit, sandbox, remarks, waitsForInput: () => running.waitsForInput() };
}
