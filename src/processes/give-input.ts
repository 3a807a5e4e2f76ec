import { ToolError } from "../contract/error.ts";
import type { ProcessInput, Waiting } from "../contract/process.ts";
import { describeEnd } from "./describe-end.ts";
import type { KeptProcess } from "./kept-process.ts";
import { within } from "./waiting.ts";

/** Gives a process something to read and waits until it has answered: has said something and then nothing for a while. */
export async function giveInput(kept: KeptProcess, input: ProcessInput, waiting: Waiting): Promise<void> {
  const { running, log } = kept;
  if (kept.hasEnded) throw readsNoMore(kept);
  if (!kept.readsInput) throw readsNothing(kept.name);
  if (!kept.terminal && keys.some((key) => input.text.includes(key))) throw noTerminal(kept.name);
  const before = log.end;
  if (input.text !== "" && !(await within(running.write(Buffer.from(input.text)), unreadMs, waiting)))
    throw doesNotRead(kept.name);
  if (input.end === true) running.endInput();
  if (input.waitMs !== undefined) {
    await within(kept.ended, input.waitMs, waiting);
    return;
  }
  const began = Date.now();
  for (;;) {
    if (await within(kept.ended, lookMs, waiting)) return;
    const elapsed = Date.now() - began;
    const hasSpoken = log.end > before;
    if (hasSpoken && kept.quietMs >= answeredMs) return;
    if (elapsed >= (hasSpoken ? longestMs : silentMs)) return;
  }
}

/** Ctrl-C, Ctrl-Z, Ctrl-\\. */
const keys = ["\u0003", "\u001a", "\u001c"];

const unreadMs = 5_000;
const lookMs = 50;
/** After an answer it is quiet this long; who says nothing at all is waited for a little longer. */
const answeredMs = 300;
const silentMs = 1_000;
const longestMs = 5_000;

function readsNoMore({ name, status }: KeptProcess): ToolError {
  return new ToolError("unavailable", `${name} ${describeEnd(status)}: it reads no more`, {
    hint: "Start it again with process.start; what it said is still there, see process.output.",
  });
}

function readsNothing(name: string): ToolError {
  return new ToolError("unsupported", `${name} was started with nothing to read`, {
    hint: "End it with process.stop. Start it again with a terminal, or with its input left open.",
  });
}

function doesNotRead(name: string): ToolError {
  return new ToolError("timeout", `${name} does not read what it is given`, {
    hint: "It will find it when it reads. See what it does with process.output, or end it with process.stop.",
  });
}

function noTerminal(name: string): ToolError {
  return new ToolError("unsupported", `Keys such as Ctrl-C mean nothing to ${name}: it has no terminal`, {
    hint: 'End it with process.stop, or start it with "terminal": true.',
  });
}
