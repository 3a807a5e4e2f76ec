import type { Judge } from "../verdict.ts";

/** `cd place`: where later commands run, if the place is plainly written. */
export const judgeDirectoryChange: Judge = (words, verdict) => {
  const { shell } = verdict.scope;
  const places = words.filter(({ value }) => !/^-[LPe@n]*$|^--$/.test(value ?? ""));
  const [place] = places;
  if (place !== undefined) verdict.looksAt(place);
  verdict.inner.push(() => {
    const plain =
      verdict.program === "cd" && places.length === 1 && words.every(({ value }) => value !== "-");
    const next = plain ? join(shell.directory, place?.value, verdict.scope.reading.start) : undefined;
    // Whether `cd` to the place where one is works or not is all the same.
    if (next !== undefined && next === shell.directory) return;
    shell.directory = next !== undefined && next.length > longestPath ? undefined : next;
    shell.moved = true;
  });
};

// No system takes a longer one.
const longestPath = 4096;

function join(from: string | undefined, to: string | undefined, start: string): string | undefined {
  if (to === undefined || to === "") return undefined;
  if (start !== "" && (to === start || to === `${start}/`)) return "";
  if (to.startsWith("/")) return to;
  if (from === undefined) return undefined;
  if (to === "." || to === "./") return from;
  return from === "" ? to : `${from}/${to}`;
}
