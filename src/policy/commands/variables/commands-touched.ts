import type { Effect, LeftVariable, SimpleCommand } from "../analysis.ts";
import { highest } from "../interpret-command.ts";
import type { Reading, VariableChange } from "../syntax/scope.ts";
import { type Touches, touchedPrograms } from "./touched-programs.ts";

/** The commands found, each with what assignments make of it. */
export function commandsTouched(reading: Reading): SimpleCommand[] {
  const added = new Map<number, Effect[]>();
  for (const change of decisiveChanges(reading)) {
    for (const place of placesReached(change, reading)) {
      const { program, words } = reading.commands[place]!;
      if (words.length === 0 || !change.touches(program)) continue;
      const effects = added.get(place);
      if (effects === undefined) added.set(place, [effectOf(change)]);
      else effects.push(effectOf(change));
    }
  }
  return reading.commands.map(({ deferred: _, ...command }, place) => {
    const effects = [...command.effects, ...(added.get(place) ?? [])];
    return { ...command, effects, risk: highest(effects) };
  });
}

/** The changed variables that would touch commands read later. */
export function lastingVariables(reading: Reading): LeftVariable[] {
  const lasting = decisiveChanges(reading).filter(({ end }) => end === undefined);
  const passedOn = new Set(reading.variables.filter((change) => change.passedOn).map(({ name }) => name));
  return [...new Set(lasting.map(({ name }) => name))].map((name) => ({
    name,
    passedOn: passedOn.has(name),
  }));
}

interface DecisiveChange extends VariableChange {
  readonly touches: Touches;
}

/** Of changes that last, the first of each variable says it all; of one family, the first few do. */
function decisiveChanges({ variables }: Reading): DecisiveChange[] {
  const seen = new Set<string>();
  const perFamily = new Map<Touches, number>();
  return variables.flatMap((change) => {
    const touches = touchedPrograms(change.name, change.passedOn);
    if (touches === undefined) return [];
    if (change.end !== undefined) return [{ ...change, touches }];
    const sameFamily = perFamily.get(touches) ?? 0;
    if (seen.has(change.name) || sameFamily === 8) return [];
    seen.add(change.name);
    perFamily.set(touches, sameFamily + 1);
    return [{ ...change, touches }];
  });
}

/**
 * A change reaches what follows it, in a loop also what comes before it in the loop, and always what functions and
 * traps hold, which may run at any time.
 */
function* placesReached({ first, end }: VariableChange, { commands, loops }: Reading): Iterable<number> {
  const around = end === undefined ? loops.filter((loop) => first >= loop.first && first - 1 < loop.end) : [];
  const start = around.reduce((least, loop) => Math.min(least, loop.first), first);
  for (let place = start; place < (end ?? commands.length); place++) yield place;
  if (end !== undefined) return;
  for (let place = 0; place < start; place++) if (commands[place]!.deferred) yield place;
}

function effectOf({ name, passedOn, span }: VariableChange): Effect {
  const reason =
    touchedPrograms(name, false) === undefined && passedOn
      ? `${name} is handed to it, and may change what it does`
      : `${name} was changed, and decides what it runs`;
  return { risk: "execute", reason, span };
}
