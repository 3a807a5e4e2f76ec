/** Ids of calls, each with the last number that was put behind it, so that a model that has only one costs no search. */
export type TakenIds = Map<string, number>;

/**
 * Takes an id for a call that no other has: as it came, if no call had it before, else with a number behind it. Every provider
 * takes it, also one that did not give it.
 */
export function takeId(given: string, taken: TakenIds): string {
  const id = given.replace(/[^\w-]/g, "_").slice(0, longest) || "call";
  const last = taken.get(id);
  if (last === undefined) {
    taken.set(id, 1);
    return id;
  }
  let number = last + 1;
  while (taken.has(`${id}_${number}`)) number += 1;
  taken.set(id, number);
  taken.set(`${id}_${number}`, 1);
  return `${id}_${number}`;
}

/** With its number it stays below the 64 characters that the strictest provider takes. */
const longest = 56;
