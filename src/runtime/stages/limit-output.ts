import type { OutputStore } from "../../journal/output-store.ts";
import { truncateText } from "../../text/truncate.ts";
import type { Stage } from "../stage.ts";

/** Shows the model no more than the tool's limits; what was cut is kept whole and can be read by its handle. */
export function limitOutput(outputs: OutputStore): Stage {
  return async (call, next) => {
    const outcome = await next(call);
    if (!outcome.ok) return outcome;
    const { fullText, continuation } = outcome;
    const { maxChars, maxLines } = call.tool.limits;
    // A text this short cannot be over either limit, so the usual case costs nothing.
    const fits = fullText.length <= maxChars && fullText.length <= (maxLines ?? maxChars);
    const shown = fits ? undefined : truncateText(fullText, call.tool.limits, ({ chars }) => cutMark(chars));
    if (!shown?.cut) return { ...outcome, text: withContinuation(fullText, continuation) };
    // What was done is done: that the rest of the answer is lost must not make it a failure.
    const kept = await outputs.keep(fullText).catch((error: Error) => error);
    const [handle, note] = kept instanceof Error ? [undefined, restIsLost(kept)] : [kept, wayToTheRest(kept)];
    return {
      ...outcome,
      text: withContinuation(`${shown.text}\n${note}`, continuation),
      truncated: { handle },
    };
  };
}

function cutMark(chars: number): string {
  return `[… ${chars} characters cut …]`;
}

function wayToTheRest(handle: string): string {
  return `[The whole output is kept as ${handle}: give it as a path to file.read or search.grep.]`;
}

function restIsLost(error: Error): string {
  return `[The rest could not be kept: ${error.message}]`;
}

function withContinuation(text: string, continuation: string | undefined): string {
  if (continuation === undefined) return text;
  return text === "" || text.endsWith("\n") ? `${text}[${continuation}]` : `${text}\n[${continuation}]`;
}
