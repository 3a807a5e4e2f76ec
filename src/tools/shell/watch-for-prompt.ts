import type { ToolContext } from "../../contract/tool.ts";
import type { CommandOutput } from "./command-output.ts";
import { looksLikePrompt } from "./looks-like-prompt.ts";
import type { StartedCommand } from "./start-command.ts";

/** Notices that a command waits for somebody to type, which nobody will. */
export function watchForPrompt(
  running: Pick<StartedCommand, "waitsForInput">,
  output: CommandOutput,
  { progress }: Pick<ToolContext, "progress">,
): PromptWatch {
  let waits = false;
  const look = () => {
    if (waits || output.quietMs < quietMs) return;
    waits = running.waitsForInput() === true || looksLikePrompt(output.lastText);
    if (waits) progress(`${itWaits}.`);
  };
  const timer = setInterval(look, lookMs);
  timer.unref();
  return {
    stop: () => clearInterval(timer),
    remarks: ({ text, failed }) => {
      if (waits) return [`${itWaits}, and there is nobody to give it. ${ways}`];
      return failed && looksLikePrompt(text) ? [`${itAsked}, and there was nobody to give it. ${ways}`] : [];
    },
  };
}

export interface PromptWatch {
  stop(): void;
  /** What to tell when it has ended, and all it said. */
  remarks(end: { readonly text: string; readonly failed: boolean }): readonly string[];
}

const itWaits = "The command seems to wait for input";
const itAsked = "The command seems to have asked for input";
const ways =
  "Answer beforehand (a flag such as --yes, or a heredoc). To answer as it runs use process.start with `terminal` and process.input.";

/** Silence that makes one look, and how often. */
const quietMs = 3_000;
const lookMs = 1_000;
