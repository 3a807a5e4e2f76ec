import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Trees } from "../../src/code/worker/trees.ts";
import { workDirectory } from "../data/data.ts";
import type { Contender, Group } from "../harness.ts";
import { openSubject } from "../subject.ts";

const workspace = join(workDirectory, "outline");
const source = join(import.meta.dirname, "../../src");

/** Measures listing the symbols of one large file, in a process that has parsed such files before. */
export const group: Group = {
  needs: [],
  prepare: () => {
    rmSync(workspace, { recursive: true, force: true });
    mkdirSync(workspace, { recursive: true });
  },
  cases: [
    {
      name: "code.symbols of a file of 200 KB that was never read",
      about: "Our own source, one file after the other. Read, parsed and told; the grammar is loaded.",
      rounds: 20,
      warmUpRounds: 10,
      goals: [{ measure: "p50Ms", atMostUs: 50_000 }],
      contenders: { toolcrib: () => listSymbols((lap) => ({ path: `new${lap}.ts`, text: largeText })) },
    },
    {
      name: "code.symbols of it after a line was added",
      about: "Somewhere else each time. The process has the tree of the text before.",
      rounds: 20,
      lapsPerRound: 5,
      goals: [{ measure: "p50Ms", atMostUs: 3000 }],
      contenders: { toolcrib: () => listSymbols((lap) => ({ path: "edited.ts", text: withLines(lap) })) },
    },
    {
      name: "100 000 parses, what stays in memory",
      about:
        "30 files in turn, as a host reads them. Resident memory may grow by the young generation that V8 allows itself; trees that are not freed would be 2 GB.",
      rounds: 1,
      warmUpRounds: 0,
      lapsPerRound: 100_000,
      goals: [
        { measure: "heapMb", atMostMb: 4 },
        { measure: "residentMb", atMostMb: 256 },
      ],
      contenders: {
        toolcrib: async () => {
          const contender = parseAgainAndAgain();
          for (let parse = 0; parse < 10_000; parse += 1) await contender.run();
          return contender;
        },
      },
    },
  ],
};

const largeText = sourceText(200_000);

/** Our own code, repeated up to this size. */
function sourceText(bytes: number): string {
  const files = globSync("{text,files,contract}/**/*.ts", { cwd: source }).sort();
  const texts = files
    .filter((file) => !file.endsWith(".test.ts"))
    .map((file) => readFileSync(join(source, file), "utf8"));
  const whole = texts.join("\n");
  return whole.slice(0, whole.lastIndexOf("\n}\n", bytes) + 3);
}

function withLines(count: number): string {
  const lines = largeText.split("\n");
  for (let line = 0; line < count; line += 1) lines.splice((line * 7919) % lines.length, 0, "");
  return lines.join("\n");
}

async function listSymbols(fileOf: (lap: number) => { path: string; text: string }): Promise<Contender> {
  const subject = await openSubject({ workspace });
  let lap = 0;
  let path = "";
  return {
    reset: () => {
      const file = fileOf(lap++);
      path = file.path;
      writeFileSync(join(workspace, path), file.text);
    },
    run: async () => (await subject.call("code.symbols", { path })).isError,
    close: subject.close,
  };
}

function parseAgainAndAgain(): Contender {
  const trees = new Trees<undefined>();
  const text = sourceText(2000);
  let version = 0;
  return {
    run: async () => {
      version += 1;
      const sent = `${text}\n// ${version}\n`;
      await trees.parse({
        path: `${version % 30}.ts`,
        language: "typescript",
        grammar: "typescript",
        version,
        sent,
      });
      return text.length;
    },
  };
}
