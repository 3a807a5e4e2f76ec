import { ToolError, textForUser } from "../contract/error.ts";
import { parseTime } from "../lib/clock.ts";
import type { CallResult } from "../toolcrib/index.ts";
import { onInterruption } from "./interruption.ts";
import { exitCodeOf, printFailure, printJson, remarkRecovered, remarkWarnings, toReport } from "./report.ts";

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
  const { openToolcrib } = await import("../toolcrib/index.ts");
  const crib = await openToolcrib({
    workspace: options.get("workspace") ?? process.cwd(),
    mode: "yolo",
    undoes: "workspace",
  });
  remarkRecovered(crib.recovered);
  const interruption = onInterruption();
  const result = await crib.call(tool, input, { signal: interruption.signal });
  if (options.has("json")) printJson(toReport(result));
  else if (result.error) printFailure(forPeople(result.error, tool));
  else show(result);
  await crib.close();
  remarkWarnings(crib.warnings);
  interruption.stop();
  return exitCodeOf(result.error?.code);
}

/** Only what was given wrongly speaks of fields; elsewhere such words may be those of a file. */
function forPeople(error: NonNullable<CallResult["error"]>, tool: string): ReturnType<typeof textForUser> {
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

/** What models are told to give, as people type it. */
export function asFlags(words: string | null): string {
  return (words ?? "").replace(/`(\w+): true`/g, (_, name: string) => `--${name.replaceAll("_", "-")}`);
}

/** A moment as a person writes it, in milliseconds since 1970: how long ago, or a date with or without a time. */
export function readSince(text: string, now: number = Date.now()): number {
  const [, count, unit = ""] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  if (count !== undefined) return now - Number(count) * unitMs[unit]!;
  const moment = parseTime(text);
  if (moment !== undefined) return moment;
  throw new ToolError("invalid-input", `"${text}" is no time`, {
    hint: "For example: --since 30m, 2h, 3d, 2026-11-15, '2026-11-15 09:30' or 2026-11-15T09:30Z.",
  });
}

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
