import { errorWith, ToolError } from "../../contract/error.ts";
import type { OutputKept } from "../../contract/output.ts";
import type { AnyTool, OutputLimits } from "../../contract/tool.ts";
import type { OutputStore } from "../../journal/output-store.ts";
import { estimateTokens, mostTokensPerUnit } from "../../lib/text/estimate-tokens.ts";
import { type Cut, characterStart, shortenLines, truncateText, wrapLines } from "../../lib/text/truncate.ts";
import type { Stage } from "../stage.ts";

/** Cuts the text for the model to the tool's limits and `maxTokens`, and stores the whole output under a handle. */
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
    // A script gets results whole. Its own output is cut.
    if (call.parent !== undefined && ownKept === undefined)
      return { ...outcome, text: withContinuation(fullText, continuation) };
    const { maxChars, maxLines, maxLineChars = maxChars, notice } = limits;
    // A text this short cannot exceed any limit, so the usual case costs nothing.
    const fits = fullText.length <= Math.min(maxChars, maxLines ?? maxChars, maxLineChars);
    const shortened = fits || !limits.maxLineChars ? undefined : shortenLines(fullText, maxLineChars);
    const shown = fits
      ? undefined
      : truncateText(shortened ?? fullText, limits, (cut, removed) => cutMark(cut, removed, ownKept));
    if (ownKept !== undefined) {
      const isCut = shown?.cut !== undefined || ownKept.gaps.length > 0;
      if (notice && !isCut) return { ...outcome, text: withContinuation(fullText, continuation) };
      const text = notice
        ? cutShort(fullText, limits, notice, ownKept)
        : withContinuation(`${shown?.text ?? fullText}\n[${wording(ownKept.note)}]`, continuation);
      return { ...outcome, text, truncated: { handle: ownKept.handle } };
    }
    if (shown === undefined || !(shown.cut || shortened))
      return { ...outcome, text: withContinuation(fullText, continuation) };
    // The work is done, so a failure to store its output must not fail the call.
    const whole = shortened === undefined ? fullText : wrapLines(fullText, wrappedChars);
    const kept = await outputs.keep(whole).catch((error: Error) => error);
    const [handle, note] =
      kept instanceof Error
        ? [undefined, `[The rest could not be stored: ${kept.message}]`]
        : [
            kept,
            `[${wording(describeStored(kept, shortened === undefined ? "" : ", with long lines wrapped"))}]`,
          ];
    if (notice) return { ...outcome, text: cutShort(fullText, limits, notice), truncated: { handle } };
    return {
      ...outcome,
      text: withContinuation(`${shown.text}\n${note}`, continuation),
      truncated: { handle },
    };
  };
}

/** Limits the output of a failed command in the same way. */
function limitOutputOf(
  error: unknown,
  { limits: ofTool, wording = asItIs }: Pick<AnyTool, "limits" | "wording">,
  maxTokens: number,
): unknown {
  if (!(error instanceof ToolError) || error.output === undefined) return error;
  const { kept, output } = error;
  const limits = within(ofTool, output, maxTokens);
  if (limits.notice !== undefined && output.length > limits.maxChars)
    return errorWith(error, { output: cutShort(output, limits, limits.notice, kept) });
  const { text } = truncateText(output, limits, (cut, removed) => cutMark(cut, removed, kept));
  return errorWith(error, { output: kept === undefined ? text : `${text}\n[${wording(kept.note)}]` });
}

/** Reduces `maxChars` until the text fits `maxTokens`. Counts tokens only when there can be too many. */
function within(limits: OutputLimits, text: string, maxTokens: number): OutputLimits {
  let maxChars = Math.min(text.length, limits.maxChars);
  while (maxChars > maxTokens / mostTokensPerUnit) {
    const tokens = estimateTokens(truncateText(text, { ...limits, maxChars }, () => "").text);
    if (tokens <= maxTokens) break;
    maxChars = Math.floor((0.98 * maxChars * maxTokens) / tokens);
  }
  return maxChars < Math.min(text.length, limits.maxChars) ? { ...limits, maxChars } : limits;
}

/** Cuts with the exact notice that the dialect promises. */
function cutShort(
  text: string,
  { maxChars }: OutputLimits,
  notice: NonNullable<OutputLimits["notice"]>,
  kept?: OutputKept,
): string {
  const shown = characterStart(text, maxChars);
  const missing = kept?.gaps.reduce((sum, { mark, chars }) => sum + chars - mark.length, 0) ?? 0;
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

/** The length of wrapped lines, short enough that no tool cuts them again. */
const wrappedChars = 2_000;

/**
 * Describes where the whole output is. A dialect without tools that read a handle drops the text after the semicolon.
 */
function describeStored(handle: string, how: string): string {
  return `The whole output is stored as ${handle}${how}; pass it as a path to file.read or search.grep.`;
}

function withContinuation(text: string, continuation: string | undefined): string {
  if (continuation === undefined) return text;
  return text === "" || text.endsWith("\n") ? `${text}[${continuation}]` : `${text}\n[${continuation}]`;
}
