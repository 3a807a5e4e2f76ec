import { relative } from "node:path";
import type { Deed } from "./restoration.ts";

/** What was done, for whoever ran the command. `kept`: folders with what was found instead. */
export function told(deeds: readonly Deed[], kept: readonly string[], workspace: string): readonly string[] {
  const failed = deeds.filter(({ failure }) => failure !== undefined);
  const done = deeds.filter(({ failure }) => failure === undefined);
  const named = (some: readonly Deed[]) => {
    const shown = some
      .slice(0, mostShown)
      .map(
        ({ path, what, failure }) => `${relative(workspace, path)} (${what}${failure ? `: ${failure}` : ""})`,
      );
    return shown.join(", ") + (some.length > mostShown ? ` and ${some.length - mostShown} more` : "");
  };
  return [
    ...(failed.length === 0
      ? []
      : [`The command touched protected files that could NOT be put back, look at them: ${named(failed)}.`]),
    ...(done.length === 0
      ? []
      : [`The command touched protected files, which were put back as they were: ${named(done)}.`]),
    ...kept.map((folder) => `What was found instead is kept in ${folder}.`),
  ];
}

const mostShown = 20;
