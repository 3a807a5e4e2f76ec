import type { FoundLoop } from "./loop-watch.ts";

/** What a model that repeats itself is told. */
export function loopNotice({ kind, calls, times }: FoundLoop): string {
  const shown = calls.map((call) => `- ${call}`).join("\n");
  switch (kind) {
    case "cycle": {
      const what = calls.length === 1 ? "this call" : `these ${calls.length} calls in turn`;
      return `You have made ${what} ${times} times, with the same answer each time:\n${shown}\nMaking it again will not change the answer. Use what you know already, try something else, or say what keeps you from going on.`;
    }
    case "polling":
      return `You have asked ${times} times, and nothing has changed:\n${shown}\nWait longer in one call, look for what it is waiting for, end it, or say what keeps you from going on.`;
    case "error":
      return `This tool has failed ${times} times in the same way, the last time with:\n${shown}\nRead its message, find out what is there before you try again, use another way, or say what keeps you from going on.`;
    case "fault":
      return `None of your last ${times} replies could be understood. Read again how a call is written, make one small call, or answer in plain words.`;
  }
}
