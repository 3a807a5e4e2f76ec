import { ToolError } from "../contract/error.ts";

/** So many places take a second, and a few hundred megabytes. */
const maxPlaces = 200_000;

/** Refuses text that stands at more places than can be kept in memory. */
export function refuseTooMany(path: string, places: number): void {
  if (places <= maxPlaces) return;
  throw new ToolError("too-large", `${path}: the text fits more than ${maxPlaces} places`, {
    hint: "Give more of the text around it, or change so many places with a script of your own.",
  });
}
