import type { ToolContext } from "../../contract/tool.ts";
import { plainTerminalText } from "../../lib/text/terminal-text.ts";
import type { CommandOutput } from "./command-output.ts";
import type { StartedCommand } from "./start-command.ts";

/**
 * Watches whether a command that has been silent for 3/5 of `waitMs` waits for input that it will never get, and ends it
 * when it has read from nowhere for `waitMs`.
 */
export function watchForPrompt(
  running: Pick<StartedCommand, "waitsForInput">,
  output: CommandOutput,
  { waitMs = usualWaitMs, end }: { readonly waitMs?: number | undefined; readonly end: () => void },
  { progress }: Pick<ToolContext, "progress">,
): PromptWatch {
  let waits = false;
  let hasEndedIt = false;
  let isLooking = false;
  const look = async () => {
    if (hasEndedIt || isLooking || output.quietMs < (waitMs * 3) / 5) return;
    isLooking = true;
    const isReading = await running.waitsForInput().catch(() => undefined);
    isLooking = false;
    if (!waits) {
      waits = isReading === true || looksLikePrompt(output.lastText);
      if (waits) progress("The command seems to wait for input.");
    } else if (isReading === true && output.quietMs >= waitMs) {
      hasEndedIt = true;
      end();
    }
  };
  const timer = setInterval(() => void look(), waitMs / 5);
  timer.unref();
  return {
    stop: () => clearInterval(timer),
    hasEndedIt: () => hasEndedIt,
    remarks: ({ text, failed }) => {
      const asked = !hasEndedIt && (waits || (failed && looksLikePrompt(text)));
      return asked ? [`The command seems to ask for input, which it cannot get. ${waysToAnswer}`] : [];
    },
  };
}

interface PromptWatch {
  stop(): void;
  /** Whether the command was ended because it waited for input. */
  hasEndedIt(): boolean;
  /** Returns remarks on the ended command, based on its whole output. */
  remarks(end: { readonly text: string; readonly failed: boolean }): readonly string[];
}

export const waysToAnswer =
  "Give the answer in advance (a flag such as --yes, or a heredoc). To answer while it runs, use process.start with `terminal` and process.input.";

const usualWaitMs = 5_000;

/** Returns whether output ends like a prompt: "Password:", "Continue? [y/N]", "> ". */
export function looksLikePrompt(output: string): boolean {
  const lastLine = plainTerminalText(output.slice(-longestLine)).split("\n").at(-1)!;
  return lastLine.trim() !== "" && prompts.some((prompt) => prompt.test(lastLine));
}

const longestLine = 500;

const prompts: readonly RegExp[] = [
  /\b(?:pass(?:word|phrase|code)?|pin|user(?:name)?|login|otp|token)\b[^?]*[:?]\s*$/i,
  /[[(](?:y(?:es)?\s*[/|,]\s*n(?:o)?|[^\])]*\/\s*(?:n|no|all|quit))[^\])]{0,20}[\])]\s*[:?]?\s*$/i,
  /\b(?:continue|proceed|overwrite|confirm|are you sure|ok to)\b[^.]*\?\s*(?:[[(][^\])]*[\])])?:?\s*$/i,
  /\b(?:press|hit)\b.{0,30}\b(?:key|enter|return)\b.*$/i,
  /\b(?:enter|type|choose|select|input|specify)\b[^.]{0,80}[:?]\s*$/i,
  /\?\s*$/,
  /^(?:[\w.@~/ -]{0,40})?(?:>>>|[>#$?❯›])\s*$/,
];
