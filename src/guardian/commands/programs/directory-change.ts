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
    shell.directory = plain ? join(shell.directory, place?.value) : undefined;
    shell.moved = true;
  });
};

function join(from: string | undefined, to: string | undefined): string | undefined {
  if (to === undefined || to === "") return undefined;
  if (to.startsWith("/")) return to;
  if (from === undefined) return undefined;
  return from === "" ? to : `${from}/${to}`;
}
