import * as z from "zod/mini";
import type { Tool } from "../../src/toolcrib/index.ts";
import { dataPath } from "../data/data.ts";
import type { Contender, Group } from "../harness.ts";
import { openSubject } from "../subject.ts";

/** Measures the nine stages of the pipeline: the tool does nothing. */
export const group: Group = {
  needs: ["small-folder"],
  cases: [
    {
      name: "a call of a tool that does nothing",
      about:
        "Through all stages: parsed, judged, timed, recorded in the journal. The mean (cpu) includes writing the journal, which happens in batches.",
      rounds: 20,
      lapsPerRound: 2000,
      goals: [
        { measure: "p50Ms", atMostUs: 60 },
        { measure: "cpuMs", atMostUs: 60 },
      ],
      contenders: {
        "the bare function": () => ({
          run: async () => (await nothing.run({ text: "hello" }, undefined as never)).text.length,
        }),
        toolcrib: () => callAgainAndAgain(nothing),
        "toolcrib, a tool that may write": () => callAgainAndAgain(nothingWritten),
      },
    },
    {
      name: "100 000 calls, what stays in memory",
      about:
        "After a forced collection, less what was there after 20 000 calls before. Resident memory may grow by the young generation that V8 allows itself; a kilobyte lost in each call would be 100 MB.",
      rounds: 1,
      warmUpRounds: 0,
      lapsPerRound: 100_000,
      goals: [
        { measure: "heapMb", atMostMb: 1 },
        { measure: "residentMb", atMostMb: 64 },
      ],
      contenders: {
        toolcrib: async () => {
          const contender = await callAgainAndAgain(nothing);
          for (let call = 0; call < 20_000; call++) await contender.run();
          return contender;
        },
      },
    },
  ],
};

const nothing: Tool<{ text: string }, null> = {
  name: "bench.nothing",
  description: "Does nothing.",
  risk: "read",
  input: z.strictObject({ text: z.string() }),
  limits: { maxChars: 1000, keep: "head" },
  accesses: () => [],
  run: async ({ text }) => ({ data: null, text }),
};

const nothingWritten: Tool<{ text: string }, null> = {
  ...nothing,
  risk: "write",
  accesses: () => [{ kind: "write", path: "notes.txt" }],
};

async function callAgainAndAgain(tool: Tool<{ text: string }, null>): Promise<Contender> {
  const subject = await openSubject({ workspace: dataPath("small-folder"), tools: [tool] });
  return {
    run: async () => (await subject.call("bench.nothing", { text: "hello" })).content.length,
    close: subject.close,
  };
}
