import { analyseCommand } from "../../../src/policy/commands/analyse-command.ts";
import type { SimpleCommand } from "../../../src/policy/commands/analysis.ts";

/**
 * Formats an analysis, one line per simple command: `risk: words [what runs it] (why; what it touches)`, and one line
 * for each part that was not understood.
 */
export function outline(command: string): string[] {
  const { commands, notUnderstood } = analyseCommand(command);
  const doubts = notUnderstood.map(
    ({ reason, span }) => `not understood: ${reason}: ${command.slice(span.start, span.end)}`,
  );
  return [...commands.map(describe), ...doubts];
}

function describe({ risk, words, within, directory, assignments, effects, accesses }: SimpleCommand): string {
  const lines = [
    ...effects.map(({ reason }) => reason),
    ...accesses.map(
      ({ kind, target, extent }) => `${extents[extent ?? "itself"] ?? kind} <${target.value ?? target.text}>`,
    ),
  ];
  const sets = assignments.map(({ name, value }) => `${name}=${value?.value ?? "?"}`);
  const shown = [...sets, ...words.map(({ value, text }) => value ?? `«${text}»`)].join(" ");
  const runBy = within.length === 0 ? "" : ` [${within.join(", ")}]`;
  const place = directory === "" ? "" : ` @${directory ?? "?"}`;
  return `${risk}: ${shown}${runBy}${place}${lines.length === 0 ? "" : ` (${lines.join("; ")})`}`;
}

const extents: Readonly<Record<string, string | undefined>> = {
  deep: "read all below",
  visible: "read what is visible below",
  names: "look at",
};
