import { ToolError, textForUser } from "../contract/error.ts";
import { parseTime } from "../lib/clock.ts";
import type { CallResult, Toolcrib } from "../toolcrib/index.ts";
import { interruptible } from "./interruption.ts";
import { placeOf } from "./options.ts";
import { commandProgress } from "./progress.ts";
import {
  exitCodeOf,
  failedCall,
  printFailure,
  printJson,
  remarkRecovered,
  remarkWarnings,
  toReport,
} from "./report.ts";

/** Calls a journal tool for the user, who may undo the calls of every session. Returns the exit code. */
export async function callJournal(
  tool: "journal.undo" | "journal.diff" | "journal.checkpoint",
  input: object,
  options: ReadonlyMap<string, string>,
  show: (result: CallResult) => void,
  /** Checks the call before it is made. Returns an error to stop it. */
  check?: (crib: Toolcrib, signal: AbortSignal) => Promise<ToolError | undefined>,
): Promise<number> {
  const { openToolcrib } = await import("../toolcrib/open-toolcrib.ts");
  const crib = await openToolcrib({
    ...placeOf(options),
    mode: "yolo",
    undoScope: "workspace",
    client: { kind: "cli" },
  });
  remarkRecovered(crib.recovered);
  return interruptible(async (signal) => {
    const refusal = await check?.(crib, signal);
    if (refusal !== undefined) {
      if (options.has("json")) printJson(failedCall(refusal));
      else printFailure(refusal);
      await crib.close();
      return exitCodeOf(refusal.code);
    }
    const progress = commandProgress(tool);
    const result = await crib.call(tool, input, { signal }).finally(progress.stop);
    if (options.has("json")) printJson(toReport(result));
    else if (result.error) printFailure(forUser(result.error, tool));
    else show(result);
    await crib.close();
    remarkWarnings(crib.warnings);
    return exitCodeOf(result.error?.code);
  });
}

/** Replaces fields with flags in errors about the arguments. */
function forUser(error: NonNullable<CallResult["error"]>, tool: string): ReturnType<typeof textForUser> {
  const { message, hint } = textForUser(error);
  if (error.details?.kind !== "bad-arguments") return { message, hint: asFlags(hint) };
  const named = message
    .slice(`${tool}: `.length)
    .replace(/`(\w+)`/g, (_, field: string) => flagOf(field, tool));
  const command = tool.slice("journal.".length);
  return { message: named, hint: `See: toolcrib help ${command}` };
}

function flagOf(field: string, tool: string): string {
  if (field === "call") return "a call";
  if (field === "checkpoint") return tool === "journal.undo" ? "--to" : "a checkpoint";
  return `--${field === "paths" ? "file" : field.replaceAll("_", "-")}`;
}

/** Replaces fields that a model would set with flags. */
export function asFlags(text: string | null): string {
  return (text ?? "").replace(/`(\w+): true`/g, (_, name: string) => `--${name.replaceAll("_", "-")}`);
}

/** Parses a duration before now, or a date with an optional time. Returns milliseconds since 1970. */
export function readSince(text: string, now: number = Date.now()): number {
  const [, count, unit = ""] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  if (count !== undefined) return now - Number(count) * unitMs[unit]!;
  const moment = parseTime(text);
  if (moment !== undefined) return moment;
  throw new ToolError("invalid-input", `--since must be a time, not "${text}"`, {
    hint: "For example: --since 30m, 2h, 3d, 2026-11-15, '2026-11-15 09:30' or 2026-11-15T09:30Z",
  });
}

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
