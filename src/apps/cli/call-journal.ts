import type { CallResult } from "../../toolcrib.ts";
import { exitCodeOf } from "./exit-code.ts";
import { onInterruption } from "./interruption.ts";
import { printFailure, printJson, remarkRecovered, remarkWarnings, toReport } from "./report.ts";

/**
 * Calls one of the journal's tools for the person at the command line, who may undo whatever was done in the workspace,
 * whoever did it. It is a call like any other: recorded, guarded, and undone in its turn. Gives the exit code.
 */
export async function callJournal(
  tool: "journal.undo" | "journal.diff" | "journal.checkpoint",
  input: object,
  options: ReadonlyMap<string, string>,
  show: (result: CallResult) => void,
): Promise<number> {
  const { openToolcrib } = await import("../../toolcrib.ts");
  const crib = await openToolcrib({
    workspace: options.get("workspace") ?? process.cwd(),
    mode: "yolo",
    undoes: "workspace",
  });
  remarkRecovered(crib.recovered);
  const interruption = onInterruption();
  const result = await crib.call(tool, input, { signal: interruption.signal });
  if (options.has("json")) printJson(toReport(result));
  else if (result.error) printFailure({ ...result.error, hint: asFlags(result.error.hint) });
  else show(result);
  await crib.close();
  remarkWarnings(crib.warnings);
  interruption.stop();
  return exitCodeOf(result.error?.code);
}

/** What models are told to give, as people type it. */
export function asFlags(words: string | null): string {
  return (words ?? "").replace(/`(\w+): true`/g, (_, name: string) => `--${name.replaceAll("_", "-")}`);
}
