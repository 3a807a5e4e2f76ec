import { join } from "node:path";
import { crossoverSizes, dataPath } from "../data/data.ts";
import { rareWord } from "../data/source-text.ts";
import type { Case } from "../harness.ts";
import { lineFlags, ripgrep } from "../ripgrep.ts";

/** Up to how many files a search in this process beats starting ripgrep. */
export const crossoverCases: readonly Case[] = crossoverSizes.map((files) => {
  const folder = join(dataPath("folders"), String(files));
  return {
    name: `crossover, ${files} files`,
    about: "The same search by ripgrep and in this process, whatever the tool would choose.",
    rounds: 20,
    goals: [],
    contenders: {
      ripgrep: () => ripgrep(folder, [...lineFlags, rareWord, "./"]),
      // in-process: wired in when the search tool is there
    },
  };
});
