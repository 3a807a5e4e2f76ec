import type { SandboxLevel } from "../../contract/call.ts";
import { ToolError } from "../../contract/error.ts";
import type { ToolContext } from "../../contract/tool.ts";
import type { GivenCommand } from "./command-access.ts";

/** A running command, in its own shell or in a session. */
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
  /** The command with which a user joins the session; `isNewSession` says whether this command created it. */
  readonly attach?: string | undefined;
  readonly isNewSession?: boolean;
  /** Sentences about how it was started. */
  readonly remarks: readonly string[];
  waitsForInput(): Promise<boolean | undefined>;
}

/** Starts a command in its session, or in a new shell without startup files and with empty stdin. */
export async function startCommand(
  { command, cwd, env, session }: GivenCommand,
  { environment, processes, shells, signal }: StartingContext,
): Promise<StartedCommand> {
  const surroundings = { cwd, env, signal };
  if (session !== undefined) {
    const namesake = (await processes.list()).find(
      ({ name, state }) => name === session && state !== "ended",
    );
    if (namesake?.kind === "process") throw isProcess(session);
    const isNewSession = namesake === undefined;
    const running = await shells.run(session, { command, ...surroundings });
    const waitsForInput = async () => running.waitsForInput?.() ?? false;
    return { ...running, isNewSession, remarks: [], waitsForInput };
  }
  const script =
    Buffer.byteLength(command) > longestArgument
      ? { args: ["-c", readFirst], input: Buffer.from(command) }
      : { args: ["-c", command] };
  const start = (shell: string, options: readonly string[]) =>
    environment.start(shell, { ...script, args: [...options, ...script.args], ...surroundings });
  try {
    return startedIn(await start("bash", ["--noprofile", "--norc"]), []);
  } catch (error) {
    if (!(error instanceof ToolError) || error.details?.kind !== "missing-program") throw error;
    const inSh = await start("sh", []).catch(() => {
      throw error;
    });
    return startedIn(inSh, ["bash is not available: sh ran the command"]);
  }
}

type StartingContext = Pick<ToolContext, "environment" | "processes" | "shells" | "signal">;

/** Linux limits an argument to 128 kB. A longer command is read from stdin, which is empty afterwards. */
const longestArgument = 100_000;
const readFirst = 'eval "$(cat)" </dev/null';

type Started = Awaited<ReturnType<ToolContext["environment"]["start"]>>;

function startedIn(running: Started, remarks: readonly string[]): StartedCommand {
  const { stdout, stderr, exit, sandbox } = running;
  return { stdout, stderr, exit, sandbox, remarks, waitsForInput: () => running.waitsForInput() };
}

/** Processes and sessions share one set of names, for listing and stopping. */
function isProcess(name: string): ToolError {
  return new ToolError("already-exists", `"${name}" is a running process, not a session`, {
    hint: "Choose another name for the session.",
  });
}
