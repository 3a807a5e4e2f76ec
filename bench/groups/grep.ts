import { dataPath } from "../data/data.ts";
import { longLineFile } from "../data/lines.ts";
import { absentWord, commonWord, rareWord } from "../data/source-text.ts";
import type { Case, Contender, Group } from "../harness.ts";
import { piTool } from "../peers.ts";
import { lineFlags, ripgrep } from "../ripgrep.ts";
import { callContender, warmUp } from "../subject.ts";
import { crossoverCases } from "./crossover.ts";

/** Finds words in a folder, in a large tree and in one endless line. */
export const group: Group = {
  needs: ["small-folder", "git-tree", "long-line", "folders"],
  cases: [
    {
      name: "15 files, 47 hits",
      about: "A small folder. ripgrep is started for each search, as a tool would.",
      rounds: 40,
      goals: [{ measure: "cpuMs", timesReference: 0.05 }],
      contenders: contenders("small-folder", rareWord, { limit: 1000, laps: 50 }),
    },
    {
      name: "30 000 files, all hits of a rare word",
      about: "A repository with ignored output; every hit is wanted.",
      rounds: 15,
      goals: [{ measure: "cpuMs", timesReference: 1.05 }],
      contenders: contenders("git-tree", rareWord, { limit: 10_000 }),
    },
    {
      name: "30 000 files, no hit",
      about: "Everything must be looked at.",
      rounds: 15,
      goals: [{ measure: "cpuMs", timesReference: 1.05 }],
      contenders: contenders("git-tree", absentWord, { limit: 1000 }),
    },
    {
      name: "30 000 files, the first 100 hits of a common word",
      about: "ripgrep is ended as soon as it has printed 100 lines.",
      rounds: 30,
      goals: [{ measure: "cpuMs", timesReference: 1.1 }],
      contenders: contenders("git-tree", commonWord, { limit: 100, laps: 10 }),
    },
    {
      name: "one line of 200 MB, the file named",
      about:
        "ripgrep is told to show no more than 500 columns (`-M 500 --max-columns-preview`): the beginning of the line. Toolcrib shows the part around the match, for which ripgrep must tell the column.",
      rounds: 20,
      goals: [{ measure: "cpuMs", timesReference: 1.1 }],
      contenders: {
        ripgrep: () => ripgrep(dataPath("long-line"), [...lineFlags, rareWord, longLineFile]),
        "ripgrep --column": () =>
          ripgrep(dataPath("long-line"), [...lineFlags, "--column", rareWord, longLineFile]),
        toolcrib: () => grep("long-line", rareWord, { limit: 100, path: longLineFile }),
      },
    },
    {
      name: "one line of 200 MB, met in a folder",
      about: "The same where ripgrep comes upon the file itself and reads it piece by piece.",
      rounds: 10,
      goals: [{ measure: "cpuMs", timesReference: 1.1 }],
      contenders: {
        ripgrep: () => ripgrep(dataPath("long-line"), [...lineFlags, rareWord, "./"]),
        toolcrib: () => grep("long-line", rareWord, { limit: 100 }),
      },
    },
    {
      name: "one line of 200 MB, memory",
      about: "One search, in a process that has searched small files before.",
      rounds: 1,
      warmUpRounds: 0,
      goals: [{ measure: "peakMb", atMostMb: 8 }],
      contenders: {
        ripgrep: () => ripgrep(dataPath("long-line"), [...lineFlags, rareWord, longLineFile]),
        toolcrib: async () => {
          await warmUp(dataPath("small-folder"), "search.grep", { pattern: rareWord }, 50);
          return grep("long-line", rareWord, { limit: 100 });
        },
      },
    },
    ...crossoverCases,
  ],
};

function contenders(
  data: string,
  word: string,
  { limit, laps = 1 }: { limit: number; laps?: number },
): Case["contenders"] {
  return {
    ripgrep: () => ripgrep(dataPath(data), [...lineFlags, word, "./"], { stopAt: limit }),
    toolcrib: () => grep(data, word, { limit, laps }),
    "pi-coding-agent": async () => {
      const search = await piTool("grep", dataPath(data));
      return { run: async () => (await search({ pattern: word, limit })).split(word).length - 1 };
    },
  };
}

function grep(
  data: string,
  word: string,
  options: { limit: number; path?: string; laps?: number },
): Promise<Contender> {
  const { laps = 1, ...rest } = options;
  const input = { pattern: word, ...rest };
  const countMatches = ({ matches }: { matches: unknown[] }) => matches.length;
  return callContender(dataPath(data), "search.grep", input, countMatches, { laps });
}
