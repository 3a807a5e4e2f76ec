import type { ProcessRequest, WaitCondition, Waiting } from "../contract/process.ts";
import type { BackgroundProcess } from "./background-process.ts";
import { awaitLine, describeReadiness } from "./readiness.ts";
import { describeCondition, died, neverPrinted, neverReady, notInTime, notReady } from "./refusals.ts";
import { within } from "./within.ts";

/** Waits until a new process is ready. Without a condition, waits a moment, to notice a process that fails at once. */
export async function settleIn(
  kept: BackgroundProcess,
  request: ProcessRequest,
  waiting: Waiting,
): Promise<void> {
  const { name } = kept;
  if (request.waitMs !== undefined) {
    const describe = (seconds: number) => `${name} has run for ${seconds} s`;
    await within(kept.ended, request.waitMs, waiting, describe);
    return;
  }
  if (kept.ready === undefined) {
    await within(kept.ended, momentMs, waiting);
    const { exitCode } = kept.knownStatus;
    if (kept.hasEnded && exitCode !== 0) throw died(kept, "at once");
    return;
  }
  const wanted = describeReadiness(request.ready!);
  const { readyTimeoutMs = usualReadyMs } = request;
  const describe = (seconds: number) => `${name} runs; waiting for ${wanted}, ${seconds} s so far`;
  waiting.progress?.(`${name} runs; waiting for ${wanted}`);
  const came = await within(readyOrEnded(kept), readyTimeoutMs, waiting, describe);
  if (!came) throw notReady(kept, wanted, readyTimeoutMs);
  if (!(await isReady(kept))) throw died(kept, "before it was ready");
}

export async function waitUntil(
  kept: BackgroundProcess,
  condition: WaitCondition,
  waiting: Waiting,
): Promise<void> {
  const { timeoutMs, until } = condition;
  const describe = (seconds: number) =>
    `${kept.name} has not ${describeCondition(condition)} for ${seconds} s`;
  const over = new AbortController();
  try {
    const came = await within(awaited(kept, condition, over.signal), timeoutMs, waiting, describe);
    if (!came) throw notInTime(kept, condition);
  } finally {
    over.abort();
  }
  if (until === "ready" && !(await isReady(kept))) throw died(kept, "before it was ready");
}

async function awaited(
  kept: BackgroundProcess,
  condition: WaitCondition,
  signal: AbortSignal,
): Promise<unknown> {
  switch (condition.until) {
    case "exit":
      return kept.ended;
    case "ready":
      if (kept.ready === undefined) throw neverReady(kept.name);
      return readyOrEnded(kept);
    case "output":
      return condition.line === undefined
        ? moreOutput(kept, condition.cursor ?? kept.log.end, signal)
        : matchingLine(kept, condition.line, condition.cursor ?? 0, signal);
  }
}

function readyOrEnded({ ready, ended }: BackgroundProcess): Promise<unknown> {
  return Promise.race([ready, ended]);
}

/** A process that has ended is not ready, whatever it printed. */
async function isReady(kept: BackgroundProcess): Promise<boolean> {
  return !kept.hasEnded && (await kept.ready) === true;
}

async function moreOutput(
  { log, ended }: BackgroundProcess,
  cursor: number,
  signal: AbortSignal,
): Promise<void> {
  if (log.end > cursor) return;
  const { promise: printed, resolve } = Promise.withResolvers<void>();
  const stopListening = log.listen(() => resolve());
  signal.addEventListener("abort", stopListening, { once: true });
  await Promise.race([printed, ended]);
  stopListening();
}

async function matchingLine(
  kept: BackgroundProcess,
  pattern: string,
  from: number,
  signal: AbortSignal,
): Promise<void> {
  const over = new AbortController();
  void kept.ended.then(() => over.abort());
  const line = await awaitLine(pattern)(kept.log, { from, signal: AbortSignal.any([signal, over.signal]) });
  if (line !== undefined || signal.aborted) return;
  throw neverPrinted(kept, pattern);
}

/** The time in which a command that cannot start fails. */
const momentMs = 500;
const usualReadyMs = 60_000;
