import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import type { Talk } from "../mcp/talk.ts";
import { cpuMsOf, residentMbOf } from "../process-tree.ts";
import type { Measure } from "./result.ts";
import { type Server, type StartOptions, startServer } from "./servers.ts";

/** An installed server with its own copy of the files. */
export interface Contestant {
  readonly server: Server;
  readonly options: StartOptions;
}

/** Rounds in which the servers take turns, so that a busy machine affects all of them. */
const rounds = 6;
/** How long a server works in one turn. */
const turnMs = 250;
const fileLines = 40;
const file = Array.from(
  { length: fileLines },
  (_, index) => `const total${index} = add(total, rows[${index}].price);`,
).join("\n");
const searchedFiles = 200;
const searched = "needle in the";

/** Writes the files that the measured tasks use. */
export function writeMeasuredFiles(workspace: string): void {
  writeFileSync(join(workspace, "forty-lines.ts"), `${file}\n`);
  for (let index = 0; index < searchedFiles; index += 1) {
    const line = index % 10 === 0 ? `// a ${searched} haystack ${index}` : "// nothing";
    writeFileSync(join(workspace, `file-${index}.ts`), `${file}\n${line}\n`);
  }
}

export async function measureStarts(contestants: readonly Contestant[]): Promise<readonly Measure[]> {
  const wall = new Samples();
  const cpu = new Samples();
  const ends = new Samples();
  const memory = new Samples();
  const lists = new Map<string, Talk["tools"]>();
  for (let round = 0; round < 5; round += 1) {
    for (const { server, options } of turns(contestants, round)) {
      const started = performance.now();
      const talk = await startServer(server, options).open();
      wall.add(server.name, performance.now() - started);
      cpu.add(server.name, cpuMsOf(talk.child.pid!));
      lists.set(server.name, talk.tools);
      if (round === 0) {
        await wait(1_000);
        memory.add(server.name, residentMbOf(talk.child.pid!, "VmRSS"));
      }
      const closed = performance.now();
      await talk.close();
      ends.add(server.name, performance.now() - closed);
    }
  }
  return [
    {
      name: "start",
      about: "from the start of the process to the answer of `tools/list`, median of 5",
      unit: "ms",
      better: "less",
      values: wall.medians(),
    },
    {
      name: "processor time of the start",
      about: "of the process and its children, median of 5",
      unit: "ms",
      better: "less",
      values: cpu.medians(),
    },
    {
      name: "end",
      about:
        "from the close of its input to the end of the process, median of 5. 5,000 means that it was killed",
      unit: "ms",
      better: "less",
      values: ends.medians(),
    },
    {
      name: "memory when idle",
      about: "resident, of the process and its children, a second after the tools were listed",
      unit: "MB",
      better: "less",
      values: memory.medians(),
    },
    ...measureLists(lists),
  ];
}

function measureLists(lists: ReadonlyMap<string, Talk["tools"]>): readonly Measure[] {
  const shown = (tools: Talk["tools"]) =>
    tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  const values = (count: (tools: Talk["tools"]) => number) =>
    Object.fromEntries([...lists].map(([name, tools]) => [name, count(tools)]));
  return [
    {
      name: "listed tools",
      about: "in the answer of `tools/list`",
      unit: "",
      values: values((tools) => tools.length),
    },
    {
      name: "tokens of the list",
      about: "names, descriptions and input schemas, which every request to a model carries (o200k)",
      unit: "tokens",
      better: "less",
      values: values((tools) => encode(JSON.stringify(shown(tools))).length),
    },
  ];
}

interface Repeated {
  readonly name: string;
  readonly about: string;
  /** Returns undefined when the server has no tool for the task. */
  task(contestant: Contestant): ((talk: Talk, count: number) => Promise<string>) | undefined;
}

const repeated: readonly Repeated[] = [
  {
    name: "read",
    about: `a file of ${fileLines} lines`,
    task: ({ server: { read }, options }) =>
      read && ((talk) => read(talk, join(options.workspace, "forty-lines.ts"))),
  },
  {
    name: "edit",
    about: "one line of that file",
    task: ({ server: { edit }, options }) =>
      edit &&
      ((talk, count) => {
        const names = ["total7", "sum7"];
        const [from = "", to = ""] = count % 2 === 0 ? names : names.reverse();
        return edit(talk, join(options.workspace, "forty-lines.ts"), `const ${from} =`, `const ${to} =`);
      }),
  },
  {
    name: "search",
    about: `a plain text in the ${searchedFiles} files of a folder, found in ${searchedFiles / 10}`,
    task: ({ server: { search }, options }) =>
      search && ((talk) => search(talk, options.workspace, searched)),
  },
  {
    name: "command",
    about: "`true`. Toolcrib runs it in its sandbox and looks for changed files",
    task: ({ server: { run }, options }) => run && ((talk) => run(talk, options.workspace, "true")),
  },
  {
    name: "git status",
    about: "in a repository with one changed file",
    task: ({ server: { status }, options }) => status && ((talk) => status(talk, options.workspace)),
  },
];

/** Median time of each task, one call after the other. A server that fails has no figure, and `report` says why. */
export async function measureTasks(
  contestants: readonly Contestant[],
  report: (failure: string) => void,
): Promise<readonly Measure[]> {
  const measures: Measure[] = [];
  for (const { name, about, task } of repeated) {
    const samples = new Samples();
    const lanes = [];
    for (const contestant of contestants) {
      const run = task(contestant);
      if (run !== undefined)
        lanes.push({ name: contestant.server.name, run, talk: await open(contestant), failed: false });
    }
    for (let round = -1; round < rounds; round += 1) {
      for (const lane of turns(lanes, Math.max(round, 0))) {
        const until = performance.now() + turnMs;
        try {
          // An even number of edits leaves the file as it was.
          for (let count = 0; !lane.failed && (performance.now() < until || count % 2 === 1); count += 1) {
            const started = performance.now();
            await lane.run(lane.talk, count);
            if (round >= 0) samples.add(lane.name, performance.now() - started);
          }
        } catch (error) {
          lane.failed = true;
          samples.forget(lane.name);
          report(`${lane.name} failed in the task "${name}": ${(error as Error).message.split("\n")[0]}`);
        }
      }
    }
    for (const { talk } of lanes) await talk.close();
    measures.push({
      name,
      about: `${about}; median of the calls in ${rounds} turns`,
      unit: "ms",
      better: "less",
      values: samples.medians(),
    });
  }
  return measures;
}

/** Reads with 50 calls in flight for two seconds, the memory after that, and the tokens of one answer. */
export async function measureReads(
  contestants: readonly Contestant[],
  report: (failure: string) => void,
): Promise<readonly Measure[]> {
  const perSecond: Record<string, number> = {};
  const memory: Record<string, number> = {};
  const tokens: Record<string, number> = {};
  for (const contestant of contestants) {
    const { read, name } = contestant.server;
    if (read === undefined) continue;
    const talk = await open(contestant);
    const path = join(contestant.options.workspace, "forty-lines.ts");
    try {
      tokens[name] = encode(await read(talk, path)).length;
      let count = 0;
      let started = 0;
      const worker = async () => {
        for (; performance.now() - started < 2_000; count += 1) await read(talk, path);
      };
      // The first second warms the server up.
      for (const warmUpMs of [1_000, 0]) {
        count = 0;
        started = performance.now() - warmUpMs;
        await Promise.all(Array.from({ length: 50 }, worker));
      }
      perSecond[name] = count / ((performance.now() - started) / 1_000);
      memory[name] = residentMbOf(talk.child.pid!, "VmHWM");
    } catch (error) {
      report(`${name} failed with 50 reads in flight: ${(error as Error).message.split("\n")[0]}`);
    }
    await talk.close();
  }
  return [
    {
      name: "reads per second",
      about:
        "of that file, 50 calls in flight, for 2 s after a second of the same; one server after the other, so that a busy machine affects them differently",
      unit: "/s",
      better: "more",
      values: perSecond,
    },
    {
      name: "highest memory",
      about: "resident, of the process and its children, after these reads",
      unit: "MB",
      better: "less",
      values: memory,
    },
    {
      name: "tokens of a read",
      about: `what the model gets for that file, which has ${encode(`${file}\n`).length} tokens (o200k)`,
      unit: "tokens",
      better: "less",
      values: tokens,
    },
  ];
}

function open({ server, options }: Contestant): Promise<Talk> {
  return startServer(server, { ...options, forCommands: true }).open();
}

/** Each round begins with another server. */
function turns<Item>(items: readonly Item[], round: number): readonly Item[] {
  const from = round % items.length;
  return [...items.slice(from), ...items.slice(0, from)];
}

class Samples {
  readonly #byName = new Map<string, number[]>();

  add(name: string, value: number): void {
    const values = this.#byName.get(name) ?? [];
    values.push(value);
    this.#byName.set(name, values);
  }

  forget(name: string): void {
    this.#byName.delete(name);
  }

  medians(): Record<string, number> {
    const median = (values: readonly number[]) =>
      values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)]!;
    return Object.fromEntries([...this.#byName].map(([name, values]) => [name, median(values)]));
  }
}
