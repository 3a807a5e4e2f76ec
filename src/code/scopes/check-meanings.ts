import type { Occurrence, Occurrences } from "../../contract/code.ts";
import { ToolError } from "../../contract/error.ts";
import { inOrder, type Splice } from "../blocks/block-change.ts";
import { listLines } from "./rename-places.ts";

export interface Renamed {
  readonly splices: readonly Splice[];
  readonly chosen: readonly Occurrence[];
  readonly newName: string;
  /** The places of both names before, and after. */
  readonly before: { readonly old: Occurrences; readonly new: Occurrences };
  readonly after: { readonly old: Occurrences; readonly new: Occurrences };
}

/** Refuses when afterwards not every place of either name means what it meant before. */
export function checkMeanings({ splices, chosen, newName, before, after }: Renamed): void {
  const isChosen = new Set(chosen.map(({ start }) => start));
  const shifted = shiftBy(splices);
  const moved = ({ start }: Occurrence) => shifted(start);
  const renamed = chosen.map((place) => moved(place) + (place.around?.before.length ?? 0));
  const unclear = before.new.places.filter(({ unbound }) => unbound === "unclear");
  const clash = (places: readonly Occurrence[]) => clashes(newName, places);
  if (unclear.length > 0) throw clash(unclear);
  const others = before.new.places;
  const expected = new Set([...renamed, ...others.map(moved)]);
  const now = new Map(after.new.places.map((place) => [place.start, place]));
  const isComplete = now.size === expected.size && [...expected].every((start) => now.has(start));
  const [binding, ...rest] = new Set(renamed.map((start) => now.get(start)?.binding));
  const captured = others.filter((place) => now.get(moved(place))?.binding === binding);
  if (captured.length > 0) throw clash(captured);
  if (!isComplete || binding === undefined || rest.length > 0) throw clash(others);
  const lost = before.old.places.filter((place) => !isChosen.has(place.start));
  if (!isAlike(others, after.new.places, moved) || !isAlike(lost, after.old.places, moved))
    throw clash(others);
}

/** Where what stands at an offset begins afterwards. */
function shiftBy(splices: readonly Splice[]): (offset: number) => number {
  const starts: number[] = [];
  const shifts = [0];
  for (const { start, end, text } of inOrder(splices)) {
    starts.push(start);
    shifts.push(shifts.at(-1)! + text.length - (end - start));
  }
  return (offset) => {
    let [low, high] = [0, starts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (starts[middle]! < offset) low = middle + 1;
      else high = middle;
    }
    return offset + shifts[low]!;
  };
}

/** Whether places that meant the same still do, and those that did not do not. */
function isAlike(
  before: readonly Occurrence[],
  after: readonly Occurrence[],
  moved: (place: Occurrence) => number,
): boolean {
  const now = new Map(after.map((place) => [place.start, place]));
  const pairs = before.map((place) => [place.binding, now.get(moved(place))] as const);
  const [forth, back] = [new Map<unknown, unknown>(), new Map<unknown, unknown>()];
  return pairs.every(([then, place]) => {
    if (place === undefined) return false;
    const isKnown = forth.has(then) || back.has(place.binding);
    if (isKnown) return forth.get(then) === place.binding && back.get(place.binding) === then;
    forth.set(then, place.binding);
    back.set(place.binding, then);
    return (then === undefined) === (place.binding === undefined);
  });
}

function clashes(newName: string, places: readonly Occurrence[]): ToolError {
  const where = places.length === 0 ? "" : ` (${listLines(places)})`;
  return new ToolError(
    "invalid-input",
    `\`${newName}\` means something else there already${where}: places would change their meaning`,
    {
      hint: "Choose another name.",
    },
  );
}
