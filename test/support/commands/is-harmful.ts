import type { CommandAccess, CommandAnalysis } from "../../../src/policy/commands/analysis.ts";

/** Whether an analysis says that a command runs code or does worse, or that it was not understood. */
export function isHarmful({ commands, notUnderstood }: CommandAnalysis): boolean {
  return notUnderstood.length > 0 || commands.some(({ risk }) => risk !== "read" && risk !== "write");
}

/**
 * Whether an analysis reports that a path is accessed: by name, by a directory above it that is read whole, by an
 * expansion that may become it, or by a higher risk.
 */
export function reports(
  analysis: CommandAnalysis,
  kinds: readonly CommandAccess["kind"][],
  path: string,
): boolean {
  return (
    isHarmful(analysis) ||
    analysis.commands.some(({ accesses, directory }) =>
      accesses.some(
        ({ kind, target, extent }) =>
          kinds.includes(kind) &&
          extent !== "names" &&
          (target.value === path ||
            target.value === undefined ||
            directory === undefined ||
            extent === "deep"),
      ),
    )
  );
}
