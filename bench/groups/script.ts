import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ToolError } from "../../src/contract/error.ts";
import { openScripts } from "../../src/script/open-scripts.ts";
import { echoCalls, hostilePrograms } from "../../test/support/script/hostile-programs.ts";
import { workDirectory } from "../data/data.ts";
import type { CaseResult, Contender, Group } from "../harness.ts";
import { Talk } from "../mcp/talk.ts";
import { openSubject } from "../subject.ts";
import { buildAndInstall, launcher } from "./start.ts";

const workspace = join(workDirectory, "script");
const files = Array.from({ length: 100 }, (_, at) => `file-${at}.txt`);

/** Measures what a script costs over its calls, and whether hostile programs are contained. */
export const group: Group = {
  needs: [],
  prepare: () => {
    buildAndInstall();
    mkdirSync(workspace, { recursive: true });
    for (const file of files) writeFileSync(join(workspace, file), "a line of the file\n".repeat(200));
  },
  cases: [
    {
      name: "an empty script, warm",
      about:
        "From the call to its result, in a worker that runs: a new engine, the prelude, the program, the journal.",
      rounds: 30,
      lapsPerRound: 5,
      goals: [{ measure: "p50Ms", atMostUs: 30_000 }],
      contenders: { toolcrib: () => running("return 1") },
    },
    {
      name: "100 reads, one after the other",
      about: "Files of 3.8 kB. The reference makes the same calls of file.read directly.",
      rounds: 30,
      goals: [{ measure: "p50Ms", timesReference: 1.2 }],
      contenders: {
        "direct calls": () => calling(1),
        toolcrib: () => running(readInTurn),
      },
    },
    {
      name: "100 reads of an MCP client",
      about:
        "What a model chooses between: 100 calls of file_read, one after the other, or one script that makes them. Both over standard input and output, without the requests to the model.",
      rounds: 30,
      goals: [{ measure: "p50Ms", timesReference: 1.2 }],
      contenders: {
        "direct calls": () =>
          talking(async (talk) => {
            let chars = 0;
            for (const path of files) chars += await talk.call("file_read", { path });
            return String(chars);
          }),
        toolcrib: () => talking((talk) => talk.answer("tools_script", { script: readInTurn })),
      },
    },
    {
      name: "100 reads, 8 at once",
      about: "The same, with eight calls in flight.",
      rounds: 30,
      goals: [{ measure: "p50Ms", timesReference: 1.2 }],
      contenders: {
        "direct calls": () => calling(8),
        toolcrib: () =>
          running(
            `const all = await Promise.all(${JSON.stringify(files)}.map((path) => tools.file.read({ path }))); return all.reduce((chars, { text }) => chars + text.length, 0)`,
          ),
      },
    },
  ],
  run: async function* ({ only }) {
    const name = "1,000 hostile programs";
    if (name.includes(only)) yield await containAll(name, 1_000);
  },
};

const readInTurn = `let chars = 0; for (const path of ${JSON.stringify(files)}) chars += (await tools.file.read({ path })).text.length; return chars`;

async function talking(run: (talk: Talk) => Promise<string>): Promise<Contender> {
  const talk = await new Talk([launcher, "mcp", "--workspace", workspace]).open();
  return { run: () => run(talk), close: () => talk.close() };
}

async function running(script: string): Promise<Contender> {
  const subject = await openSubject({ workspace });
  return {
    run: async () => (await subject.call("tools.script", { script })).content,
    close: subject.close,
  };
}

async function calling(atOnce: number): Promise<Contender> {
  const subject = await openSubject({ workspace });
  return {
    run: async () => {
      let [next, chars] = [0, 0];
      const callOn = async () => {
        for (let path = files[next++]; path !== undefined; path = files[next++]) {
          const { content } = await subject.call("file.read", { path });
          chars += content.length;
        }
      };
      await Promise.all(Array.from({ length: atOnce }, callOn));
      return String(chars);
    },
    close: subject.close,
  };
}

async function containAll(name: string, count: number): Promise<CaseResult> {
  const scripts = openScripts({ computeMs: 100 });
  const ends = new Map<string, number>();
  const escaped: string[] = [];
  try {
    const programs = hostilePrograms(count).values();
    // Programs that are killed after a second leave the machine idle, so several run at once.
    const containNext = async () => {
      for (const { kind, text } of programs) {
        const end = await endOf(text);
        if (end === "ESCAPED") escaped.push(`${kind}: ${text}`);
        ends.set(end, (ends.get(end) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: 4 }, containNext));
  } finally {
    await scripts.close();
  }
  const measured = escaped.length === 0 ? `${count} of ${count} contained` : escaped.join("; ");
  return {
    group: "script",
    name,
    about: `${count} programs of 44 kinds, each with 100 ms to compute: endless loops, memory, recursion, prototypes, host access, floods. Contained means that each ends with a result or an error of its own, and reaches nothing of the host.`,
    contenders: [],
    table: [["end", "programs"], ...[...ends].map(([end, programs]) => [end, String(programs)])],
    verdicts: [{ goal: "all contained", value: count - escaped.length, measured, met: escaped.length === 0 }],
  };

  async function endOf(program: string): Promise<string> {
    try {
      const { printed, text } = await scripts.run(program, echoCalls, {
        signal: new AbortController().signal,
      });
      return `${printed}${text}`.includes("ESCAPED") ? "ESCAPED" : "a result";
    } catch (error) {
      return error instanceof ToolError && error.code !== "internal" && error.code !== "unavailable"
        ? error.code
        : "ESCAPED";
    }
  }
}
