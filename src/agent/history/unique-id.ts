/**
 * An id for a call that no other has: as it came, if no call had it before, else with a number behind it. Every provider takes
 * it, also one that did not give it.
 */
export function uniqueId(given: string, taken: ReadonlySet<string>): string {
  const id = given.replace(/[^\w-]/g, "_").slice(0, longest) || "call";
  if (!taken.has(id)) return id;
  let number = 2;
  while (taken.has(`${id}_${number}`)) number += 1;
  return `${id}_${number}`;
}

/** With its number it stays below the 64 characters that the strictest provider takes. */
const longest = 56;
