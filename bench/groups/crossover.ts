import { join } from "node:path";
import { openLocalEnvironment } from "../../src/environment/local/local-environment.ts";
import { crossoverSizes, dataPath } from "../data/data.ts";
import { rareWord } from "../data/source-text.ts";
import type { Case, Contender } from "../harness.ts";
import { lineFlags, ripgrep } from "../ripgrep.ts";
import { openSubject } from "../subject.ts";

/** Finds the number of files up to which a search in this process is faster than starting ripgrep. */
export const crossoverCases: readonly Case[] = crossoverSizes.map((files) => {
  const folder = join(dataPath("folders"), String(files));
  return {
    name: `crossover, ${files} files`,
    about: "Started ripgrep, the tool without ripgrep, and the tool as it is, which begins in process.",
    rounds: 20,
    goals: [],
    contenders: {
      ripgrep: () => ripgrep(folder, [...lineFlags, rareWord, "./"]),
      "in process": () => grep(openLocalEnvironment({ workspace: folder, programs: { rg: undefined } })),
      toolcrib: () => grep(openLocalEnvironment({ workspace: folder })),
    },
  };
});

async function grep(environment: ReturnType<typeof openLocalEnvironment>): Promise<Contender> {
  const subject = await openSubject({ environment });
  const run = async () => {
    const { data } = await subject.call("search.grep", { pattern: rareWord });
    return (data as { matches: unknown[] }).matches.length;
  };
  return { run, laps: 5, close: () => subject.close().then(() => environment.close()) };
}
