import type { Effect, SimpleCommand } from "../analysis.ts";
import { highest } from "../interpret-command.ts";
import type { Reading, VariableChange } from "../syntax/scope.ts";
import { touchedPrograms } from "./touched-programs.ts";

/** The commands found, each with what assignments make of it. */
export function commandsTouched(reading: Reading): SimpleCommand[] {
  const added = new Map<number, Effect[]>();
  for (const change of decisive(reading.variables)) {
    const touches = touchedPrograms(change.name);
    if (touches === undefined) continue;
    const first = firstReached(change, reading);
    const end = change.end ?? reading.commands.length;
    reading.commands.forEach(({ program, words, deferred }, place) => {
      const reached = deferred || (place >= first && place < end);
      if (reached && words.length > 0 && touches(program))
        added.set(place, [...(added.get(place) ?? []), effectOf(change)]);
    });
  }
  return reading.commands.map(({ deferred: _, ...command }, place) => {
    const more = added.get(place);
    if (more === undefined) return command;
    const effects = [...command.effects, ...more];
    return { ...command, effects, risk: highest(effects) };
  });
}

/** Of changes that last, the first of each variable says it all. */
function decisive(changes: readonly VariableChange[]): VariableChange[] {
  const lasting = new Set<string>();
  return changes.filter(({ name, end }) => {
    if (end !== undefined) return true;
    if (lasting.has(name)) return false;
    lasting.add(name);
    return true;
  });
}

/** A change reaches what follows it, and in a loop also what comes before it in the loop. */
function firstReached({ first, end }: VariableChange, { loops }: Reading): number {
  if (end !== undefined) return first;
  const around = loops.filter((loop) => first >= loop.first && first - 1 < loop.end);
  return around.reduce((least, loop) => Math.min(least, loop.first), first);
}

function effectOf({ name, span }: VariableChange): Effect {
  return { risk: "execute", reason: `${name} was changed, and decides what it runs`, span };
}
