import { reworded, ToolError } from "../../contract/error.ts";
import type { OutputKept } from "../../contract/output.ts";
import type { AnyTool, OutputLimits } from "../../contract/tool.ts";
import type { OutputStore } from "../../journal/output-store.ts";
import { estimateTokens, mostTokensPerUnit } from "../../lib/estimate-tokens.ts";
import { type Cut, characterStart, truncateText } from "../../lib/truncate.ts";
import type { Stage } from "../stage.ts";

/**
 * Shows the model no more than the tool's limits, and the room's; what was cut is kept whole and can be read by its handle.
 */
export function limitOutput(outputs: OutputStore, maxTokens = Number.POSITIVE_INFINITY): Stage {
  return async (call, next) => {
    const result = await next(call).catch((error: unknown) => {
      throw limitOutputOf(error, call.tool, maxTokens);
    });
    if (!result.ok) return result;
    const { kept: ownKept, ...outcome } = result;
    const { fullText } = outcome;
    const { wording = asItIs } = call.tool;
    const limits = within(call.tool.limits, fullText, maxTokens);
    const continuation = outcome.continuation === undefined ? undefined : wording(outcome.continuation);
    const { maxChars, maxLines, notice } = limits;
    // A text this short cannot be over either limit, so the usual case costs nothing.
    const fits = fullText.length <= maxChars && fullText.length <= (maxLines ?? maxChars);
    const shown = fits
      ? undefined
      : truncateText(fullText, limits, (cut, removed) => cutMark(cut, removed, ownKept));
    if (ownKept !== undefined && notice !== undefined) {
      const isCut = shown?.cut !== undefined || ownKept.gaps.length > 0;
      if (!isCut) return { ...outcome, text: withContinuation(fullText, continuation) };
      return {
        ...outcome,
        text: cutShort(fullText, limits, notice, ownKept),
        truncated: { handle: ownKept.handle },
      };
    }
    if (ownKept !== undefined) {
      const text = withContinuation(`${shown?.text ?? fullText}\n[${wording(ownKept.note)}]`, continuation);
      return { ...outcome, text, truncated: { handle: ownKept.handle } };
    }
    if (!shown?.cut) return { ...outcome, text: withContinuation(fullText, continuation) };
    // What was done is done: that the rest of the answer is lost must not make it a failure.
    const kept = await outputs.keep(fullText).catch((error: Error) => error);
    const [handle, note] =
      kept instanceof Error ? [undefined, restIsLost(kept)] : [kept, `[${wording(wayToTheRest(kept))}]`];
    if (notice) return { ...outcome, text: cutShort(fullText, limits, notice), truncated: { handle } };
    return {
      ...outcome,
      text: withContinuation(`${shown.text}\n${note}`, continuation),
      truncated: { handle },
    };
  };
}

/** What a command had said until it failed is shown within the same limits. */
function limitOutputOf(
  error: unknown,
  { limits: ofTool, wording = asItIs }: Pick<AnyTool, "limits" | "wording">,
  maxTokens: number,
): unknown {
  if (!(error instanceof ToolError) || error.output === undefined) return error;
  const { kept, output } = error;
  const limits = within(ofTool, output, maxTokens);
  if (limits.notice !== undefined && output.length > limits.maxChars)
    return reworded(error, { output: cutShort(output, limits, limits.notice, kept) });
  const { text } = truncateText(output, limits, (cut, removed) => cutMark(cut, removed, kept));
  return reworded(error, { output: kept === undefined ? text : `${text}\n[${wording(kept.note)}]` });
}

/**
 * As many characters as the tokens allow. They are counted in what would be shown, whose words may cost more than those of
 * the rest; and not at all where they cannot be too many.
 */
function within(limits: OutputLimits, text: string, maxTokens: number): OutputLimits {
  let maxChars = Math.min(text.length, limits.maxChars);
  while (maxChars > maxTokens / mostTokensPerUnit) {
    const tokens = estimateTokens(truncateText(text, { ...limits, maxChars }, () => "").text);
    if (tokens <= maxTokens) break;
    maxChars = Math.floor((0.98 * maxChars * maxTokens) / tokens);
  }
  return maxChars < Math.min(text.length, limits.maxChars) ? { ...limits, maxChars } : limits;
}

/** In the words of a dialect, which promises them to the letter. */
function cutShort(
  text: string,
  { maxChars }: OutputLimits,
  notice: NonNullable<OutputLimits["notice"]>,
  kept?: OutputKept,
): string {
  const shown = characterStart(text, maxChars);
  const missing = kept?.gaps.reduce((sum, { mark, bytes }) => sum + bytes - mark.length, 0) ?? 0;
  return `${text.slice(0, shown)}\n${notice({ total: text.length + missing, shown })}`;
}

function asItIs(text: string): string {
  return text;
}

function cutMark({ chars }: Cut, removed: string, kept: OutputKept | undefined): string {
  const gaps = kept?.gaps.filter(({ mark }) => removed.includes(mark)) ?? [];
  if (gaps.length === 0) return `[… ${chars} characters cut …]`;
  const missing = gaps.reduce((sum, { mark, bytes }) => sum + bytes - Buffer.byteLength(mark), 0);
  return `[… ${Buffer.byteLength(removed) + missing} bytes cut …]`;
}

/** In two halves: where no tool on offer can read it, only the first is told. */
function wayToTheRest(handle: string): string {
  return `The whole output is kept as ${handle}; give it as a path to file.read or search.grep.`;
}

function restIsLost(error: Error): string {
  return `[The rest could not be kept: ${error.message}]`;
}

function withContinuation(text: string, continuation: string | undefined): string {
  if (continuation === undefined) return text;
  return text === "" || text.endsWith("\n") ? `${text}[${continuation}]` : `${text}\n[${continuation}]`;
}
