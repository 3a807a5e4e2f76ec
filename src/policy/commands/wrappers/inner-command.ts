import type { Word } from "../analysis.ts";
import type { FoundOption } from "../options.ts";
import { judgeOptions } from "../programs/rows.ts";
import type { Verdict } from "../verdict.ts";
import { splits } from "../word.ts";

/** The words of the command inside a wrapper, and the wrapper's own options. */
export interface InnerCommand {
  readonly options: readonly FoundOption[];
  readonly words: readonly Word[];
}

/** Where the inner command begins, unless an option that is not listed, or an expansion, makes that uncertain. */
export function innerCommand(
  options: string,
  words: readonly Word[],
  verdict: Verdict,
  skip = 0,
): InnerCommand | undefined {
  const scan = judgeOptions(options, words, verdict, "first");
  const odd = scan.unlisted[0] ?? scan.unclear[0] ?? scan.operands.slice(0, skip).find(splits);
  if (odd === undefined) return { options: scan.options, words: scan.operands.slice(skip) };
  verdict.doubts(`where the command inside ${verdict.program} begins, because of ${odd.text}`, odd);
  return undefined;
}
