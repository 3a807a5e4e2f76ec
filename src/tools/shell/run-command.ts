import type { SandboxLevel } from "../../contract/call.ts";
import { ToolError } from "../../contract/error.ts";
import type { OutputKept } from "../../contract/output.ts";
import type { OutputLimits, ToolContext } from "../../contract/tool.ts";
import { reachOfCommands } from "../../engine/sandbox/reach-of-commands.ts";
import { monotonicMs } from "../../lib/clock.ts";
import { explainConfinedFailure } from "../../lib/explain-confined-failure.ts";
import { sessionBusy } from "../../lib/session-busy-error.ts";
import { truncateText } from "../../lib/text/truncate.ts";
import type { GivenCommand } from "./command-access.ts";
import { CommandOutput } from "./command-output.ts";
import { type CommandExit, endedWithCall } from "./describe-run.ts";
import type { ShownOutput } from "./show-output.ts";
import { type StartedCommand, startCommand } from "./start-command.ts";
import { watchForPrompt } from "./watch-for-prompt.ts";

interface CommandRequest extends GivenCommand {
  readonly timeoutMs: number;
  /** Ends the command after this long without output. */
  readonly quietTimeoutMs?: number | undefined;
  /** Ends the command when it has waited this long for input, which it cannot get. Default: 5 s. */
  readonly inputTimeoutMs?: number | undefined;
  /** The part of the output that the answer shows. More is stored. */
  readonly limits: OutputLimits;
}

export interface CommandRun extends CommandExit {
  readonly shown: ShownOutput;
  readonly kept?: OutputKept;
  readonly durationMs: number;
  /** Whether it was ended before it had finished: after `timeoutMs`, or for one of the following reasons. */
  readonly timedOut: boolean;
  readonly wasQuiet: boolean;
  /** Whether it was ended because it waited for input. */
  readonly wantedInput: boolean;
  readonly sandbox: SandboxLevel;
  /** The folder of the shell, for a session; `attach` is the command with which a user joins it. */
  readonly cwd?: string;
  readonly attach?: string;
  readonly isNewSession?: boolean;
  /** Notes for the reader, in sentences. */
  readonly remarks: readonly string[];
}

/**
 * Runs a command and reports how it ended, even on timeout. When the call itself ends first, throws `cancelled` or
 * `timeout` with the output so far.
 */
export async function runCommand(request: CommandRequest, context: ToolContext): Promise<CommandRun> {
  const { timeoutMs, limits } = request;
  const startedMs = monotonicMs();
  const deadline = new AbortController();
  const signal = AbortSignal.any([context.signal, deadline.signal]);
  const running = await inItsTurn(request, context, deadline, () =>
    startCommand(request, { ...context, signal }),
  );
  const { heldMs = () => 0 } = context.environment.confinement ?? {};
  const stopTimer = after(timeoutMs, heldMs, () => deadline.abort());
  // A command that has ended was in time, even if reading its output takes longer.
  running.exit.then(
    () => stopTimer(),
    () => {},
  );
  const output = new CommandOutput(context);
  const waiting = { waitMs: request.inputTimeoutMs, end: () => deadline.abort() };
  const prompt = watchForPrompt(running, output, waiting, context);
  const quiet = endWhenQuiet(request.quietTimeoutMs, output, heldMs, deadline);
  try {
    const exit = await readToEnd(running, output).catch(async (error: unknown) => {
      deadline.abort();
      await output.end(() => true);
      throw error;
    });
    const { kept, ...shown } = await output.end(
      ({ text }) => truncateText(text, limits, () => "").cut === undefined,
    );
    const run: CommandRun = {
      exitCode: exit.code ?? null,
      signal: exit.signal ?? null,
      shown,
      kept,
      durationMs: Math.round(monotonicMs() - startedMs),
      timedOut: deadline.signal.aborted,
      wasQuiet: quiet.hasEndedIt(),
      wantedInput: prompt.hasEndedIt(),
      sandbox: running.sandbox,
      cwd: exit.cwd,
      attach: running.attach,
      isNewSession: running.isNewSession,
      remarks: [
        ...running.remarks,
        ...shown.remarks,
        ...prompt.remarks({ text: shown.text, failed: exit.code !== 0 }),
        ...explainFailure(request, running, exit.code, shown.text, context),
        ...exit.remarks,
      ].map(context.wording),
    };
    if (context.signal.aborted) throw endedWithCall(run, context.signal.reason);
    return run;
  } finally {
    stopTimer();
    quiet.stop();
    prompt.stop();
  }
}

function explainFailure(
  { command, cwd }: CommandRequest,
  { sandbox }: StartedCommand,
  exitCode: number | undefined,
  output: string,
  { environment }: ToolContext,
): readonly string[] {
  const hasNetwork = (environment.confinement?.hosts?.length ?? 0) > 0;
  return explainConfinedFailure({
    command,
    output,
    exitCode: exitCode ?? null,
    sandbox,
    hasNetwork,
    readsOnly: environment.confinement?.readsOnly,
    ...reachOfCommands(environment, cwd),
  });
}

/** Calls `end` after a time that does not count while connections of the command wait for the user. Returns a function that stops it. */
function after(ms: number, heldMs: () => number, end: () => void): () => void {
  const startedMs = monotonicMs();
  let timer: NodeJS.Timeout | undefined;
  const look = () => {
    const leftMs = ms + heldMs() - (monotonicMs() - startedMs);
    if (leftMs <= 0) end();
    else timer = setTimeout(look, leftMs);
  };
  look();
  return () => clearTimeout(timer);
}

function endWhenQuiet(
  quietTimeoutMs: number | undefined,
  output: CommandOutput,
  heldMs: () => number,
  deadline: AbortController,
): { hasEndedIt(): boolean; stop(): void } {
  let hasEndedIt = false;
  if (quietTimeoutMs === undefined) return { hasEndedIt: () => false, stop: () => {} };
  let lastHeldMs = heldMs();
  let resumedMs = monotonicMs();
  const checking = setInterval(
    () => {
      if (heldMs() !== lastHeldMs) resumedMs = monotonicMs();
      lastHeldMs = heldMs();
      const quietMs = Math.min(output.quietMs, monotonicMs() - resumedMs);
      if (deadline.signal.aborted || quietMs < quietTimeoutMs) return;
      hasEndedIt = true;
      deadline.abort();
    },
    Math.min(lookMs, quietTimeoutMs),
  );
  return { hasEndedIt: () => hasEndedIt, stop: () => clearInterval(checking) };
}

const lookMs = 1_000;

/** Starts the command. In a session it waits for its turn, because the user may run commands too. */
async function inItsTurn<Result>(
  { session, timeoutMs }: CommandRequest,
  { processes, signal }: ToolContext,
  deadline: AbortController,
  start: () => Promise<Result>,
): Promise<Result> {
  if (session === undefined) return start();
  const timer = setTimeout(() => deadline.abort(), timeoutMs);
  try {
    return await start();
  } catch (error) {
    const gaveUp = deadline.signal.aborted && !signal.aborted;
    if (!gaveUp || !(error instanceof ToolError) || error.code !== "cancelled") throw error;
    const busy = (await processes.list()).find(({ name }) => name === session);
    throw sessionBusy(session, busy?.command ?? "bash");
  } finally {
    clearTimeout(timer);
  }
}

async function readToEnd(running: StartedCommand, output: CommandOutput): StartedCommand["exit"] {
  await Promise.all([output.read("stdout", running.stdout), output.read("stderr", running.stderr)]);
  return running.exit;
}
